/** What `subcommand` gives every command. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly workspace?: string;
}
