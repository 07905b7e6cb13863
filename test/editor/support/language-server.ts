import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'

export interface Position {
  readonly line: number
  readonly character: number
}

export interface Diagnostic {
  readonly message: string
  readonly code?: string
  readonly severity?: number
  readonly range: { readonly start: Position; readonly end: Position }
}

/** A language server in its own process, used over standard input and output. */
export interface LanguageServer {
  request(method: string, params?: unknown): Promise<any>
  notify(method: string, params?: unknown): Promise<void>
  open(uri: string, text: string, languageId?: string): Promise<void>
  /** Replaces the whole text. */
  change(uri: string, text: string, version: number): Promise<void>
  /** The next diagnostics of a document, or those already received for this or a later version. */
  diagnostics(uri: string, version?: number): Promise<readonly Diagnostic[]>
  /** The notifications that the server registered for, by method. */
  readonly registered: ReadonlyMap<string, unknown>
  /** Number of received diagnostics of a document. */
  published(uri: string): number
  stop(): Promise<number | null>
}

const running = new Set<LanguageServer>()

/** For `afterEach`: stops it even if a test failed halfway. */
export async function stopLanguageServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop()))
}

export async function startLanguageServer(
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly settings?: unknown
    /** The folder that is open in the editor. Default: none. */
    readonly workspace?: string
    readonly capabilities?: object
  } = {},
): Promise<LanguageServer> {
  const child = spawn(process.execPath, args, { cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  const got = new Map<string, { version: number | undefined; diagnostics: readonly Diagnostic[] }[]>()
  const waiting = new Set<() => void>()
  connection.onNotification('textDocument/publishDiagnostics', ({ uri, version, diagnostics }: any) => {
    got.set(uri, [...(got.get(uri) ?? []), { version, diagnostics }])
    for (const look of waiting) look()
  })
  connection.onRequest('workspace/configuration', ({ items }: any) =>
    items.map(({ section }: { section: string }) => (options.settings as any)?.[section] ?? null),
  )
  const registered = new Map<string, unknown>()
  connection.onRequest('client/registerCapability', ({ registrations }: any) => {
    for (const { method, registerOptions } of registrations) registered.set(method, registerOptions)
    for (const look of waiting) look()
    return null
  })
  connection.listen()
  const server: LanguageServer = {
    registered,
    request: (method, params) => connection.sendRequest(method, params),
    notify: (method, params) => connection.sendNotification(method, params),
    open: (uri, text, languageId = 'yaml') =>
      connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId, version: 1, text },
      }),
    change: (uri, text, version) =>
      connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      }),
    published: (uri) => got.get(uri)?.length ?? 0,
    diagnostics: (uri, version) =>
      new Promise((resolve, reject) => {
        const give = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`no diagnostics for ${uri}: ${errors}`))
        }, 15_000)
        const look = () => {
          const last = got.get(uri)?.at(-1)
          if (last === undefined || (version !== undefined && (last.version ?? version) < version)) return
          clearTimeout(give)
          waiting.delete(look)
          resolve(last.diagnostics)
        }
        waiting.add(look)
        look()
      }),
    async stop() {
      running.delete(server)
      if (child.exitCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      await connection.sendRequest('shutdown').catch(() => undefined)
      await connection.sendNotification('exit').catch(() => undefined)
      const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
      const [code] = await ended
      clearTimeout(timer)
      connection.dispose()
      return code as number | null
    },
  }
  running.add(server)
  const workspace = options.workspace === undefined ? null : pathToFileURL(options.workspace).href
  await server.request('initialize', {
    processId: process.pid,
    rootUri: workspace,
    workspaceFolders: workspace === null ? null : [{ uri: workspace, name: 'workspace' }],
    capabilities: options.capabilities ?? {
      workspace: { configuration: true },
      textDocument: {
        completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
        hover: { contentFormat: ['markdown'] },
        publishDiagnostics: { versionSupport: true },
      },
    },
  })
  await server.notify('initialized', {})
  return server
}

/** A text with `|` where the cursor is. */
export function atCursor(marked: string): { readonly text: string; readonly position: Position } {
  const at = marked.indexOf('‸')
  if (at < 0) throw new Error('mark the cursor with ‸')
  const before = marked.slice(0, at)
  const line = before.split('\n').length - 1
  return {
    text: before + marked.slice(at + 1),
    position: { line, character: at - (before.lastIndexOf('\n') + 1) },
  }
}
