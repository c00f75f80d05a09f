/**
 * Limits that nodes share (`src/leases`), in PostgreSQL. `lease_heads` has what is taken of each counter, `lease_grants` how
 * much of it each node may use, `lease_nodes` the processes. The rules are those of `LeaseAuthority`, which the contract suite
 * compares item by item.
 *
 * In every committed state, `base` and all `used` of a head are together the `counted` of its row of `counters`: a new head
 * begins with that, and a trigger adds each later change, of any writer. Calls of a node count under its grant
 * (`tollbook.node`), all else under `base`. A node's calls are counted up to its row of `marks`.
 *
 * Locks are always taken in this order: the advisory lock 7414, a row of `lease_nodes`, rows of `lease_heads` by key. Each
 * exchange, and each change of counters, shares the advisory lock. A change of limits and a failover have it alone, so every
 * exchange is before or after them. An exchange is one statement, so no node holds a lock while it computes or is away.
 */
export const leases001: readonly string[] = [
  `CREATE TABLE lease_state (
  id SMALLINT PRIMARY KEY CHECK (id = 1),
  generation BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  timeline TEXT NOT NULL
)`,
  `CREATE TABLE lease_nodes (
  node TEXT PRIMARY KEY,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  renewed_at BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  must_state BOOLEAN NOT NULL
)`,
  `CREATE TABLE lease_heads (
  counter BIGINT NOT NULL,
  window_start BIGINT NOT NULL,
  value TEXT NOT NULL,
  base BIGINT NOT NULL DEFAULT 0,
  taken BIGINT NOT NULL DEFAULT 0,
  scarce_until BIGINT NOT NULL DEFAULT 0,
  ticket_node TEXT,
  ticket_lack BIGINT,
  ticket_since BIGINT,
  ticket_until BIGINT,
  ticket_turn_until BIGINT,
  asked_at BIGINT NOT NULL,
  PRIMARY KEY (counter, window_start, value)
) WITH (fillfactor = 50)`,
  'CREATE INDEX lease_heads_scarce ON lease_heads (scarce_until)',
  `CREATE TABLE lease_grants (
  counter BIGINT NOT NULL,
  window_start BIGINT NOT NULL,
  value TEXT NOT NULL,
  node TEXT NOT NULL,
  granted BIGINT NOT NULL,
  spent BIGINT NOT NULL,
  used BIGINT NOT NULL,
  PRIMARY KEY (counter, window_start, value, node)
) WITH (fillfactor = 50)`,
  'CREATE INDEX lease_grants_node ON lease_grants (node)',
  // What open calls of each node hold, for people: nothing is admitted by it.
  `CREATE TABLE lease_held (
  counter BIGINT NOT NULL,
  window_start BIGINT NOT NULL,
  value TEXT NOT NULL,
  node TEXT NOT NULL,
  held BIGINT NOT NULL,
  PRIMARY KEY (counter, window_start, value, node)
) WITH (fillfactor = 50)`,
  'CREATE INDEX lease_held_node ON lease_held (node)',
  `CREATE FUNCTION lease_now() RETURNS BIGINT LANGUAGE sql VOLATILE
AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$`,
  // A promoted standby has another one than the primary that it replaces.
  `CREATE FUNCTION lease_timeline() RETURNS TEXT LANGUAGE sql VOLATILE
AS $$ SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END $$`,
  'INSERT INTO lease_state VALUES (1, 1, 0, lease_timeline())',
  // A failover: nothing is granted until every node that can admit has stated what it has. null = if there was one.
  `CREATE FUNCTION lease_promote(p_generation BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  IF p_generation IS NULL AND (SELECT timeline FROM lease_state) = lease_timeline() THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(7414);
  UPDATE lease_state SET
    generation = coalesce(p_generation, floor(random() * 9e15)::bigint),
    timeline = lease_timeline()
    WHERE p_generation IS NOT NULL OR timeline <> lease_timeline();
  IF FOUND THEN
    UPDATE lease_nodes SET renewed_at = lease_now();
  END IF;
END $$`,
  // Returns the generation; null = there are too many nodes.
  `CREATE FUNCTION lease_register(p_node TEXT, p_epoch BIGINT, p_nodes_max BIGINT) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE
  v_generation BIGINT;
BEGIN
  PERFORM lease_promote(NULL);
  PERFORM pg_advisory_xact_lock_shared(7414);
  SELECT generation INTO v_generation FROM lease_state;
  DELETE FROM lease_held WHERE node = p_node;
  UPDATE lease_nodes SET epoch = p_epoch, seq = 0, must_state = true, renewed_at = lease_now() WHERE node = p_node;
  IF NOT FOUND THEN
    IF (SELECT count(*) FROM lease_nodes WHERE epoch <> -1) >= p_nodes_max THEN
      RETURN NULL;
    END IF;
    INSERT INTO lease_nodes VALUES (p_node, p_epoch, 0, lease_now(), v_generation, 0, true)
      ON CONFLICT (node) DO UPDATE SET epoch = p_epoch, seq = 0, must_state = true, renewed_at = lease_now();
  END IF;
  RETURN v_generation;
END $$`,
  // Returns false for a process that another one has replaced.
  `CREATE FUNCTION lease_note_held(
  p_node TEXT, p_epoch BIGINT, p_is_complete BOOLEAN, p_counter BIGINT[], p_window BIGINT[], p_value TEXT[], p_held BIGINT[]
) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM lease_nodes WHERE node = p_node AND epoch = p_epoch) THEN
    RETURN false;
  END IF;
  -- What a crash of the server loses is said again.
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM lease_held h WHERE h.node = p_node AND p_is_complete AND NOT EXISTS (
    SELECT FROM unnest(p_counter, p_window, p_value) AS i (counter, window_start, value)
      WHERE (i.counter, i.window_start, i.value) = (h.counter, h.window_start, h.value)
  );
  DELETE FROM lease_held h USING unnest(p_counter, p_window, p_value, p_held) AS i (counter, window_start, value, held)
    WHERE h.node = p_node AND (i.counter, i.window_start, i.value) = (h.counter, h.window_start, h.value) AND i.held = 0;
  INSERT INTO lease_held
    SELECT i.counter, i.window_start, i.value, p_node, i.held
      FROM unnest(p_counter, p_window, p_value, p_held) AS i (counter, window_start, value, held) WHERE i.held > 0
    ON CONFLICT (counter, window_start, value, node) DO UPDATE SET held = excluded.held;
  RETURN true;
END $$`,
  // At the end of each transaction that changes what a limit allows. Numbers are in the order of commits.
  `CREATE FUNCTION lease_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A transaction may change a hundred thousand limits. It has one number.
  IF coalesce(current_setting('tollbook.lease_change', true), '') = '' THEN
    PERFORM pg_advisory_xact_lock(7414);
    UPDATE lease_state SET changes = changes + 1;
    PERFORM set_config('tollbook.lease_change', 'numbered', true);
  END IF;
  RETURN NULL;
END $$`,
  `CREATE CONSTRAINT TRIGGER lease_change AFTER INSERT OR DELETE ON limits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION lease_change()`,
  `CREATE CONSTRAINT TRIGGER lease_update AFTER UPDATE ON limits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.counter, OLD.amount, OLD.raise, OLD.action) IS DISTINCT FROM (NEW.counter, NEW.amount, NEW.raise, NEW.action))
  EXECUTE FUNCTION lease_change()`,
  // Windows of limits follow the zone, and all nodes must open the same.
  `CREATE CONSTRAINT TRIGGER lease_zone AFTER UPDATE ON workspaces DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.time_zones IS DISTINCT FROM NEW.time_zones) EXECUTE FUNCTION lease_change()`,
  // A head begins with what is counted already: `p_counted`; null = what the counter says.
  `CREATE FUNCTION lease_lock_head(p_counter BIGINT, p_window BIGINT, p_value TEXT, p_counted BIGINT) RETURNS lease_heads
LANGUAGE plpgsql AS $$
DECLARE
  v_head lease_heads;
  v_base BIGINT;
BEGIN
  LOOP
    SELECT * INTO v_head FROM lease_heads h
      WHERE h.counter = p_counter AND h.window_start = p_window AND h.value = p_value FOR UPDATE;
    EXIT WHEN FOUND;
    v_base := coalesce(p_counted, (
      SELECT c.counted FROM counters c WHERE c.counter = p_counter AND c.window_start = p_window AND c.value = p_value
    ), 0);
    INSERT INTO lease_heads (counter, window_start, value, base, taken, asked_at)
      VALUES (p_counter, p_window, p_value, v_base, v_base, lease_now()) ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN v_head;
END $$`,
  // Counts a change of a counter. Counters of limits that only warn have no head.
  `CREATE FUNCTION lease_move(p_counter BIGINT, p_window BIGINT, p_value TEXT, p_before BIGINT, p_after BIGINT) RETURNS VOID
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_node TEXT := nullif(current_setting('tollbook.node', true), '');
  v_change BIGINT := p_after - p_before;
  v_more BIGINT;
BEGIN
  IF NOT EXISTS (SELECT FROM limits l WHERE l.counter = p_counter AND l.action = 'block') AND NOT EXISTS (
    SELECT FROM lease_heads h WHERE h.counter = p_counter AND h.window_start = p_window AND h.value = p_value
  ) THEN
    RETURN;
  END IF;
  PERFORM lease_lock_head(p_counter, p_window, p_value, p_before);
  IF v_node IS NULL OR v_change < 0 THEN
    UPDATE lease_heads h SET base = h.base + v_change, taken = h.taken + v_change
      WHERE h.counter = p_counter AND h.window_start = p_window AND h.value = p_value;
    RETURN;
  END IF;
  SELECT greatest(0, g.used + v_change - g.granted) INTO v_more FROM lease_grants g
    WHERE g.counter = p_counter AND g.window_start = p_window AND g.value = p_value AND g.node = v_node;
  IF FOUND THEN
    UPDATE lease_grants g SET
      used = g.used + v_change,
      spent = greatest(g.spent, g.used + v_change),
      granted = greatest(g.granted, g.used + v_change)
      WHERE g.counter = p_counter AND g.window_start = p_window AND g.value = p_value AND g.node = v_node;
  ELSE
    v_more := v_change;
    INSERT INTO lease_grants VALUES (p_counter, p_window, p_value, v_node, v_more, v_more, v_more);
  END IF;
  UPDATE lease_heads h SET taken = h.taken + v_more
    WHERE h.counter = p_counter AND h.window_start = p_window AND h.value = p_value AND v_more <> 0;
END $$`,
  // In the order of keys, so that no two transactions wait for each other.
  `CREATE FUNCTION lease_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7414);
  CASE TG_OP
    WHEN 'INSERT' THEN
      PERFORM lease_move(m.counter, m.window_start, m.value, 0, m.counted)
        FROM (SELECT * FROM after_rows WHERE counted <> 0 ORDER BY counter, window_start, value OFFSET 0) m;
    WHEN 'UPDATE' THEN
      PERFORM lease_move(m.counter, m.window_start, m.value, m.before, m.counted) FROM (
        SELECT a.*, b.counted AS before FROM after_rows a JOIN before_rows b USING (counter, window_start, value)
          WHERE a.counted <> b.counted ORDER BY a.counter, a.window_start, a.value OFFSET 0
      ) m;
    ELSE
      PERFORM lease_move(m.counter, m.window_start, m.value, m.counted, 0)
        FROM (SELECT * FROM before_rows WHERE counted <> 0 ORDER BY counter, window_start, value OFFSET 0) m;
  END CASE;
  RETURN NULL;
END $$`,
  `CREATE TRIGGER lease_count_new AFTER INSERT ON counters REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT
  EXECUTE FUNCTION lease_count()`,
  `CREATE TRIGGER lease_count_moved AFTER UPDATE ON counters REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION lease_count()`,
  `CREATE TRIGGER lease_count_gone AFTER DELETE ON counters REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT
  EXECUTE FUNCTION lease_count()`,
  // Returns false while the node can still admit.
  `CREATE FUNCTION lease_forget(p_node TEXT, p_counts BOOLEAN, p_over_ms BIGINT) RETURNS BOOLEAN
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_grant lease_grants;
BEGIN
  UPDATE lease_nodes SET epoch = -1 WHERE node = p_node AND lease_now() >= renewed_at + p_over_ms;
  IF NOT FOUND THEN
    RETURN NOT EXISTS (SELECT FROM lease_nodes WHERE node = p_node);
  END IF;
  DELETE FROM lease_held WHERE node = p_node;
  FOR v_grant IN
    SELECT * FROM lease_grants WHERE node = p_node ORDER BY counter, window_start, value
  LOOP
    UPDATE lease_heads h SET taken = h.taken - (v_grant.granted - v_grant.used)
      WHERE h.counter = v_grant.counter AND h.window_start = v_grant.window_start AND h.value = v_grant.value
        AND NOT p_counts;
    UPDATE lease_grants g SET
      granted = CASE WHEN p_counts THEN g.granted ELSE g.used END,
      spent = CASE WHEN p_counts THEN g.granted ELSE g.used END
      WHERE g.counter = v_grant.counter AND g.window_start = v_grant.window_start AND g.value = v_grant.value
        AND g.node = p_node;
  END LOOP;
  RETURN true;
END $$`,
  // Drops heads that have nothing to say, under their locks: a later one begins with what the counter says. A node that may come back
  // with a cell of it keeps its head. Returns the last value that was checked; null = all are.
  `CREATE FUNCTION lease_prune_idle(p_counter BIGINT, p_before BIGINT, p_after TEXT, p_limit BIGINT, p_over_ms BIGINT)
RETURNS TEXT LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_value TEXT;
  v_last TEXT;
  v_checked BIGINT := 0;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7414);
  FOR v_value IN
    SELECT h.value FROM lease_heads h WHERE h.counter = p_counter AND h.window_start = 0 AND h.value > p_after
      ORDER BY h.value LIMIT p_limit
  LOOP
    v_last := v_value;
    v_checked := v_checked + 1;
    PERFORM FROM lease_heads h
      WHERE h.counter = p_counter AND h.window_start = 0 AND h.value = v_value AND h.asked_at < p_before FOR UPDATE;
    CONTINUE WHEN NOT FOUND OR EXISTS (
      SELECT FROM lease_grants g LEFT JOIN lease_nodes n ON n.node = g.node
        WHERE g.counter = p_counter AND g.window_start = 0 AND g.value = v_value AND (
          g.granted <> g.used OR g.spent <> g.used
          OR NOT coalesce(n.epoch = -1 OR n.renewed_at = 0 OR lease_now() < n.renewed_at + p_over_ms, true)
        )
    );
    DELETE FROM lease_grants WHERE counter = p_counter AND window_start = 0 AND value = v_value;
    DELETE FROM lease_heads WHERE counter = p_counter AND window_start = 0 AND value = v_value;
  END LOOP;
  RETURN CASE WHEN v_checked = p_limit THEN v_last END;
END $$`,
  `CREATE FUNCTION lease_exchange(
  p_node TEXT, p_epoch BIGINT, p_seq BIGINT, p_generation BIGINT, p_changes BIGINT, p_position BIGINT,
  p_is_complete BOOLEAN, p_is_heartbeat BOOLEAN, p_over_ms BIGINT, p_scarce_max BIGINT,
  p_counter BIGINT[], p_window BIGINT[], p_value TEXT[], p_keep BIGINT[], p_spent BIGINT[],
  p_need BIGINT[], p_lack BIGINT[], p_least_lack BIGINT[], p_wish BIGINT[], p_since BIGINT[],
  OUT out_kind TEXT, OUT out_time BIGINT, OUT out_generation BIGINT, OUT out_mark BIGINT, OUT out_renewed BOOLEAN,
  OUT out_given BIGINT[], OUT out_adopted BIGINT[], OUT out_state TEXT[], OUT out_since BIGINT[], OUT out_spent BIGINT[],
  OUT out_counter BIGINT[], OUT out_window BIGINT[], OUT out_value TEXT[]
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_time BIGINT;
  v_state lease_state;
  v_node lease_nodes;
  v_mark BIGINT;
  v_head lease_heads;
  v_nodes BIGINT;
  v_is_whole BOOLEAN;
  v_item RECORD;
  v_granted BIGINT;
  v_used BIGINT;
  v_has_grant BOOLEAN;
  v_since BIGINT;
  v_kept BIGINT;
  v_spent BIGINT;
  v_amount BIGINT;
  v_reserved BIGINT;
  v_open BIGINT;
  v_given BIGINT;
  v_answer TEXT;
  v_others BIGINT;
  v_recalls TEXT := '';
BEGIN
  PERFORM lease_promote(NULL);
  PERFORM pg_advisory_xact_lock_shared(7414);
  SELECT * INTO v_state FROM lease_state;
  SELECT * INTO v_node FROM lease_nodes WHERE node = p_node FOR UPDATE;
  IF NOT FOUND OR v_node.epoch <> p_epoch OR p_seq <= v_node.seq THEN
    out_kind := 'stale';
    RETURN;
  END IF;
  IF p_generation <> v_state.generation
    OR (NOT p_is_complete AND (v_node.must_state OR v_node.generation <> p_generation)) THEN
    out_kind := 'restate';
    out_generation := v_state.generation;
    RETURN;
  END IF;
  -- Before what was used is read, so that it is never ahead of that.
  v_mark := coalesce((SELECT m.mark FROM marks m WHERE m.journal_id = p_node), 0);
  IF p_is_complete AND v_mark < p_position THEN
    out_kind := 'unshipped';
    out_mark := v_mark;
    RETURN;
  END IF;
  -- A grant must not be lost in a crash of the server, whatever its settings say of other transactions.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  out_kind := 'granted';
  v_time := lease_now();
  out_time := v_time;
  out_renewed := p_changes >= v_state.changes;
  UPDATE lease_nodes SET
    seq = p_seq, generation = p_generation, changes = p_changes, must_state = false,
    renewed_at = CASE WHEN out_renewed THEN v_time ELSE renewed_at END
    WHERE node = p_node;
  SELECT greatest(1, count(*)), coalesce(bool_and(n.generation = v_state.generation), true)
    INTO v_nodes, v_is_whole FROM lease_nodes n WHERE v_time < n.renewed_at + p_over_ms;

  out_given := array_fill(0::bigint, ARRAY[cardinality(p_counter)]);
  out_adopted := array_fill(NULL::bigint, ARRAY[cardinality(p_counter)]);
  out_state := array_fill('unready'::text, ARRAY[cardinality(p_counter)]);
  out_since := array_fill(NULL::bigint, ARRAY[cardinality(p_counter)]);
  out_spent := array_fill(NULL::bigint, ARRAY[cardinality(p_counter)]);
  -- In the order of keys, so that no two exchanges wait for each other. What a complete statement doesn't name goes back.
  FOR v_item IN
    SELECT i.counter, i.window_start, i.value, i.keep, i.spent, i.need, i.lack, i.least_lack, i.wish, i.since, i.place::int
      FROM unnest(p_counter, p_window, p_value, p_keep, p_spent, p_need, p_lack, p_least_lack, p_wish, p_since)
      WITH ORDINALITY AS i (counter, window_start, value, keep, spent, need, lack, least_lack, wish, since, place)
    UNION ALL
    SELECT u.counter, u.window_start, u.value, 0, 0, 0, 0, 0, 0, NULL, NULL FROM (
      SELECT g.counter, g.window_start, g.value FROM lease_grants g
        WHERE p_is_complete AND g.node = p_node AND (g.granted <> g.used OR g.spent <> g.used)
      EXCEPT
      SELECT * FROM unnest(p_counter, p_window, p_value)
    ) u
    ORDER BY 1, 2, 3
  LOOP
    v_head := lease_lock_head(v_item.counter, v_item.window_start, v_item.value, NULL);
    SELECT g.granted, g.used INTO v_granted, v_used FROM lease_grants g
      WHERE g.counter = v_item.counter AND g.window_start = v_item.window_start AND g.value = v_item.value AND g.node = p_node;
    v_has_grant := FOUND;
    IF NOT v_has_grant THEN
      v_granted := 0;
      v_used := 0;
    END IF;

    IF v_item.place IS NULL THEN
      UPDATE lease_heads h SET taken = h.taken - (v_granted - v_used)
        WHERE h.counter = v_item.counter AND h.window_start = v_item.window_start AND h.value = v_item.value;
      UPDATE lease_grants g SET granted = v_used, spent = v_used
        WHERE g.counter = v_item.counter AND g.window_start = v_item.window_start AND g.value = v_item.value AND g.node = p_node;
      CONTINUE;
    END IF;

    v_since := CASE
      WHEN v_item.since IS NULL THEN v_time
      -- A turn that lasts longer than any can is of a clock that was ahead.
      WHEN v_head.ticket_node = p_node AND (v_head.ticket_turn_until <= v_time OR v_head.ticket_turn_until > v_time + 1000) THEN v_time
      ELSE v_item.since
    END;
    IF v_item.keep IS NULL AND v_mark < p_position THEN
      out_since[v_item.place] := v_since;
      CONTINUE;
    END IF;

    out_adopted[v_item.place] := CASE WHEN v_item.keep IS NULL THEN v_used END;
    v_kept := greatest(coalesce(v_item.keep, 0), v_used);
    v_spent := greatest(v_item.spent, v_used);
    v_head.taken := v_head.taken + v_kept - v_granted;
    SELECT greatest(l.amount, CASE WHEN (l.raise::jsonb ->> 'until')::bigint > v_time THEN (l.raise::jsonb ->> 'amount')::bigint END)
      INTO v_amount FROM limits l WHERE l.counter = v_item.counter;
    v_amount := coalesce(v_amount, 0);
    v_reserved := CASE
      WHEN v_head.ticket_node <> p_node AND v_head.ticket_since <= v_since
        AND v_head.ticket_until > v_time AND v_head.ticket_until <= v_time + 250 THEN v_head.ticket_lack
      ELSE 0
    END;
    v_open := v_amount - v_head.taken - v_reserved;
    v_given := CASE
      WHEN NOT v_is_whole OR v_open <= 0 THEN 0
      WHEN v_open >= v_item.lack THEN greatest(v_item.lack, least(v_item.wish, v_open / (2 * v_nodes)))
      WHEN v_open >= v_item.least_lack THEN v_item.least_lack
      ELSE 0
    END;
    v_head.taken := v_head.taken + v_given;

    IF v_given >= v_item.lack THEN
      v_answer := CASE WHEN v_head.taken > v_amount OR v_head.scarce_until > v_time THEN 'tight' ELSE 'granted' END;
    ELSIF NOT v_is_whole THEN
      v_answer := 'unready';
    ELSE
      SELECT coalesce(sum(g.spent), 0) INTO v_others FROM lease_grants g
        WHERE g.counter = v_item.counter AND g.window_start = v_item.window_start AND g.value = v_item.value
          AND g.node <> p_node;
      v_answer := CASE WHEN v_head.base + v_others + v_spent + v_item.need <= v_amount THEN 'scarce' ELSE 'spent' END;
      out_spent[v_item.place] := CASE WHEN v_answer = 'spent' THEN v_head.base + v_others + v_spent END;
    END IF;

    IF v_answer = 'scarce' THEN
      -- Nodes keep returning the amount for longer than this.
      IF v_head.scarce_until <= v_time + 250 AND octet_length(v_recalls) < 5000 THEN
        v_recalls := concat_ws(',', nullif(v_recalls, ''),
          json_build_array(v_item.counter, v_item.window_start, v_item.value)::text);
      END IF;
      v_head.scarce_until := v_time + 500;
      IF v_reserved = 0 THEN
        IF v_head.ticket_node IS DISTINCT FROM p_node OR v_head.ticket_since <> v_since THEN
          v_head.ticket_turn_until := v_time + 1000;
        END IF;
        v_head.ticket_node := p_node;
        v_head.ticket_lack := v_item.lack - v_given;
        v_head.ticket_since := v_since;
        v_head.ticket_until := v_time + 250;
      END IF;
    ELSIF v_item.need > 0 AND v_head.ticket_node = p_node THEN
      v_head.ticket_node := NULL;
    END IF;

    UPDATE lease_heads h SET
      taken = v_head.taken, scarce_until = v_head.scarce_until, ticket_node = v_head.ticket_node,
      ticket_lack = v_head.ticket_lack, ticket_since = v_head.ticket_since, ticket_until = v_head.ticket_until,
      ticket_turn_until = v_head.ticket_turn_until, asked_at = v_time
      WHERE h.counter = v_item.counter AND h.window_start = v_item.window_start AND h.value = v_item.value;
    IF v_has_grant THEN
      UPDATE lease_grants g SET granted = v_kept + v_given, spent = v_spent
        WHERE g.counter = v_item.counter AND g.window_start = v_item.window_start AND g.value = v_item.value AND g.node = p_node;
    ELSE
      INSERT INTO lease_grants VALUES
        (v_item.counter, v_item.window_start, v_item.value, p_node, v_kept + v_given, v_spent, 0);
    END IF;
    out_given[v_item.place] := v_given;
    out_state[v_item.place] := v_answer;
    out_since[v_item.place] := CASE WHEN v_answer IN ('scarce', 'unready') THEN v_since END;
  END LOOP;

  -- A hint, which may be lost: heartbeats say it, too.
  IF v_recalls <> '' THEN
    PERFORM pg_notify('tollbook_recalls', '[' || v_recalls || ']');
  END IF;
  IF p_is_heartbeat THEN
    SELECT array_agg(s.counter), array_agg(s.window_start), array_agg(s.value)
      INTO out_counter, out_window, out_value
      FROM (
        SELECT h.counter, h.window_start, h.value FROM lease_heads h JOIN lease_grants g USING (counter, window_start, value)
          WHERE h.scarce_until > v_time AND g.node = p_node AND g.granted > g.spent
            AND NOT EXISTS (
              SELECT FROM unnest(p_counter, p_window, p_value) AS i (counter, window_start, value)
              WHERE (i.counter, i.window_start, i.value) = (h.counter, h.window_start, h.value)
            )
          LIMIT p_scarce_max
      ) s;
  END IF;
END $$`,
];
