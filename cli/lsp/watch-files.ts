import {
  DidChangeWatchedFilesNotification,
  type Connection,
  type InitializeParams,
} from 'vscode-languageserver'

/**
 * Has the editor tell of files that change on disk, where it can: what is called may have changed although it is open nowhere.
 * `changed` is called each time.
 */
export function watchFiles(
  connection: Connection,
  { capabilities }: InitializeParams,
  changed: () => void,
): void {
  connection.onDidChangeWatchedFiles(changed)
  if (capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration !== true) return
  connection.onInitialized(() => {
    void connection.client
      .register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern: '**/*.{yaml,yml}' }] })
      .catch((error: unknown) => connection.console.error(`files cannot be watched: ${String(error)}`))
  })
}
