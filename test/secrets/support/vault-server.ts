import type { IncomingMessage, ServerResponse } from 'node:http'
import { serveHttp } from '../../egress/servers.ts'

interface Asked {
  readonly method: string
  readonly path: string
  readonly token: string | undefined
  readonly namespace: string | undefined
  readonly body: string
}

interface Token {
  /** Seconds. */
  ttl: number
  renewable: boolean
}

/** The answer of a node instead; undefined: Vault's own answer. */
type Misbehave = (
  asked: Asked,
  response: ServerResponse,
) =>
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | undefined
  | 'nothing'

/** A node of Vault over HTTP: KV version 2 at `secret`, AppRole, and tokens that the test expires. */
export async function serveVault() {
  const asked: Asked[] = []
  const tokens = new Map<string, Token>([['root-token-0001', { ttl: 0, renewable: false }]])
  const secrets = new Map<string, unknown>()
  const state = {
    /** Lease of tokens from sign-ins. */
    lease: { ttl: 3600, renewable: true } as Token,
    secretId: 'secret-id-0001',
    namespace: undefined as string | undefined,
    misbehave: (() => undefined) as Misbehave,
    /** Paths that the policy denies. */
    denied: new Set<string>(),
    signIns: 0,
    renewals: 0,
  }

  const json = (status: number, body: object) => ({ status, body: JSON.stringify(body) })
  const denied = json(403, { errors: ['permission denied'] })

  function answer(it: Asked) {
    const { path, token = '', body } = it
    if (it.namespace !== state.namespace) return json(404, { errors: ['no handler for route'] })
    if (path === '/v1/auth/approle/login') {
      const { role_id, secret_id } = JSON.parse(body) as Record<string, string>
      if (role_id !== 'role-id-0001' || secret_id !== state.secretId)
        return json(400, { errors: ['invalid role or secret ID'] })
      state.signIns++
      const issued = `issued-token-${state.signIns}`
      tokens.set(issued, { ...state.lease })
      return json(200, { auth: authOf(issued, state.lease) })
    }
    const held = tokens.get(token)
    if (held === undefined) return denied
    if (path === '/v1/auth/token/lookup-self')
      return json(200, { data: { id: token, ttl: held.ttl, renewable: held.renewable, num_uses: 0 } })
    if (path === '/v1/auth/token/renew-self') {
      state.renewals++
      return json(200, { auth: authOf(token, held) })
    }
    const name = /^\/v1\/secret\/data\/(.+)$/.exec(path)?.[1]
    if (name === undefined) return json(404, { errors: ['no handler for route'] })
    if (state.denied.has(name)) return denied
    const data = secrets.get(name)
    if (data === undefined) return json(404, { errors: [] })
    const metadata = { version: 1, deletion_time: data === null ? '2026-01-01T00:00:00Z' : '' }
    return json(data === null ? 404 : 200, { data: { data, metadata } })
  }

  const server = await serveHttp((request, response) => void reply(request, response))

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const header = (name: string) => request.headers[name] as string | undefined
    const it: Asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      token: header('x-vault-token'),
      namespace: header('x-vault-namespace'),
      body: Buffer.concat(chunks).toString(),
    }
    asked.push(it)
    const said = state.misbehave(it, response) ?? answer(it)
    if (said === 'nothing') return
    response.writeHead(said.status, {
      'content-type': 'application/json',
      ...('headers' in said ? said.headers : {}),
    })
    response.end(said.body)
  }

  return {
    ...server,
    asked,
    tokens,
    secrets,
    state,
    reads: () => asked.filter(({ path }) => path.includes('/data/')),
  }
}

const authOf = (client_token: string, { ttl, renewable }: Token) => ({
  client_token,
  lease_duration: ttl,
  renewable,
})
