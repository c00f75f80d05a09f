/**
 * Changes of records in the order of their commits, so that each node learns what others changed. A change takes the advisory
 * lock 7413 before its position and holds it until it is committed. Triggers write them at the end of each transaction: one
 * that has the lock then waits for no other lock.
 */
export const changes001: readonly string[] = [
  `CREATE TABLE changes (
  position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  workspace_id TEXT
)`,
  // A node that reads from here on has a position.
  `INSERT INTO changes (at, kind, ref) VALUES (0, 'start', '')`,
  `CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed JSONB := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
BEGIN
  PERFORM pg_advisory_xact_lock(7413);
  INSERT INTO changes (at, kind, ref, workspace_id) VALUES (
    extract(epoch FROM clock_timestamp()) * 1000000,
    TG_ARGV[0],
    changed ->> TG_ARGV[1],
    changed ->> 'workspace_id'
  );
  PERFORM pg_notify('tollbook_changes', '');
  RETURN NULL;
END $$`,
  `CREATE FUNCTION note_provider_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7413);
  INSERT INTO changes (at, kind, ref, workspace_id)
    SELECT extract(epoch FROM clock_timestamp()) * 1000000, 'key', id, workspace_id
    FROM wrapped_keys WHERE provider_key_id = NEW.id AND revoked_at IS NULL;
  PERFORM pg_notify('tollbook_changes', '');
  RETURN NULL;
END $$`,
  `CREATE CONSTRAINT TRIGGER note_key AFTER INSERT OR UPDATE ON wrapped_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('key', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_provider_keys AFTER UPDATE ON provider_keys DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.sealed IS DISTINCT FROM OLD.sealed) EXECUTE FUNCTION note_provider_key()`,
  `CREATE CONSTRAINT TRIGGER note_token AFTER INSERT OR UPDATE ON access_tokens DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('token', 'hash')`,
  `CREATE CONSTRAINT TRIGGER note_prices AFTER INSERT OR UPDATE OR DELETE ON custom_prices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('prices', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_contracts AFTER INSERT OR UPDATE OR DELETE ON contracts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('prices', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_document AFTER INSERT OR UPDATE ON settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (starts_with(NEW.name, 'document.'))
  EXECUTE FUNCTION note_change('document', 'name')`,
  `CREATE CONSTRAINT TRIGGER note_limit AFTER INSERT OR UPDATE OR DELETE ON limits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('limit', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_zone AFTER UPDATE ON workspaces DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.time_zones IS DISTINCT FROM OLD.time_zones)
  EXECUTE FUNCTION note_change('zone', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_member AFTER UPDATE OR DELETE ON members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('member', 'user_id')`,
  `CREATE CONSTRAINT TRIGGER note_session AFTER DELETE ON user_sessions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('session', 'user_id')`,
  `CREATE CONSTRAINT TRIGGER note_overrun AFTER INSERT OR UPDATE ON alerts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.type = 'OVERRUN')
  EXECUTE FUNCTION note_change('overrun', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_alert_raised AFTER INSERT ON alerts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION note_change('alert_raised', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_alert_resolved AFTER UPDATE ON alerts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.resolved_at IS NULL AND NEW.resolved_at IS NOT NULL)
  EXECUTE FUNCTION note_change('alert_resolved', 'id')`,
  `CREATE CONSTRAINT TRIGGER note_alert_read AFTER UPDATE ON alerts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.read_at IS NULL AND NEW.read_at IS NOT NULL)
  EXECUTE FUNCTION note_change('alert_read', 'id')`,
];
