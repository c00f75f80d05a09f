export interface ApiSettings {
  /** Public address shown to users, without a trailing slash. */
  readonly baseUrl: string;
  /** Additional host names of the service, in lower case. */
  readonly allowedHosts: readonly string[];
  readonly tokenRequestsPerMinute: number;
  readonly version: string;
  /** Providers are a sandbox and the traffic is invented; every page shows that. */
  readonly demo: boolean;
  /** The operator has named a mail server. */
  readonly sendsMail: boolean;
  /** Several gateways share limits: workers, or nodes on a database. */
  readonly hasNodes: boolean;
}
