/** Who runs a job, where several processes could: the work of one turn is done once. */
export interface JobRecords {
  /** Claims a job that last began before `dueBefore` and that nobody holds, until a time; false = it is not to be had. */
  claim(name: string, runner: string, now: number, until: number, dueBefore: number): Promise<boolean>;
  /** Nobody holds any job: for whoever is alone on a store. */
  freeAll(): Promise<void>;
  /** The turn is over. */
  done(name: string, runner: string): Promise<void>;
  /** The same of what is held and has no turns: nothing is left of it. */
  release(name: string, runner: string): Promise<void>;
}
