/** A file of the playbooks folder. */
export interface FolderFile {
  /** Absolute. */
  readonly path: string
  /** The content, or why it cannot be read, such as `EACCES`. */
  readonly source: Uint8Array | { readonly unreadable: string }
}

export interface FileWrite {
  /** Absolute. */
  readonly path: string
  /** null: the file is deleted. */
  readonly source: string | null
}

/** The folder as a whole, from the names, sizes and times of its files. */
export interface FolderState {
  /** Differs whenever a file differs. */
  readonly fingerprint: string
  /** Whether git is changing the files. */
  readonly isBusy: boolean
  /** The commit that is checked out; null: unknown, or not in a repository. */
  readonly revision: string | null
  /** Whether the folder exists. */
  readonly exists: boolean
}

/** The files of the playbooks folder: `*.yaml` and `*.yml`, also in subfolders. */
export interface PlaybookFiles {
  /** Path of the folder. */
  readonly folder: string
  /** Sorted by path. A missing folder counts as empty. */
  read(): Promise<readonly FolderFile[]>
  /** Does not read the files. */
  state(): Promise<FolderState>
  /** The content of a file; undefined if it cannot be read. */
  readOne(path: string): Promise<Uint8Array | undefined>
  /**
   * Writes and deletes files so that they last, even if the power fails. A failure usually changes no file.
   *
   * @throws ConflictError `playbooks_read_only`; UnavailableError `storage_failed`
   */
  write(writes: readonly FileWrite[]): Promise<void>
}
