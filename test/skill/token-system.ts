import { defineConnection, type ConnectionDefinition, type SkillContext } from '../../core/plugin/index.ts'
import type { EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import { callerOf, connection, skillThat } from './fixture.ts'

export const login = 'https://login.example.com/t1/oauth2/v2.0/token'

export const withToken: ConnectionDefinition = defineConnection({
  ...connection,
  headers: () => ({ 'X-App': 'tocsin' }),
  token: (settings) => ({
    path: login,
    form: { grant_type: 'client_credentials', client_id: 'c&1', client_secret: settings.key.reveal() },
    explain: ({ status, body }) =>
      (body as { error?: string } | undefined)?.error === 'invalid_client'
        ? `the client secret is wrong (${status})`
        : undefined,
  }),
  authenticate: async ({ http }) => void (await http.get('/me')),
})

export type Answer = (request: EgressRequest) => Partial<EgressResponse> | Error

export const handOut = (text: string, more: object = {}): Partial<EgressResponse> => ({
  body: JSON.stringify({ token_type: 'Bearer', expires_in: 3600, access_token: text, ...more }),
})

/** A system that issues `canary-token-1`, `-2`, … and accepts the tokens in `takes`. */
export function tokenSystem(
  takes: (token: string) => boolean = () => true,
  onApi: Answer = () => ({ body: '{}' }),
) {
  let issued = 0
  const answer: Answer = (request) => {
    if (request.url === login) return handOut(`canary-token-${++issued}`)
    const token = request.headers['authorization']?.replace('Bearer ', '') ?? ''
    return takes(token) ? onApi(request) : { status: 401, body: '{"error":{"message":"expired"}}' }
  }
  return answer
}

export type Work = (context: SkillContext<never>) => Promise<unknown>

export function callerThat(work: Work, answer: Answer) {
  const skill = skillThat(
    async (_input, context) => {
      await work(context)
      return { text: '' }
    },
    { connection: withToken },
  )
  return callerOf(skill, { answer })
}

export const getOnce: Work = ({ http }) => http.get('/a')

export const shown = (requests: readonly EgressRequest[]) =>
  requests.map(
    ({ method, url, headers }) => `${method} ${new URL(url).pathname} ${headers['authorization'] ?? '-'}`,
  )

export const fetching = 'POST /t1/oauth2/v2.0/token -'
