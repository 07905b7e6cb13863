import type { Catalogue } from '../../core/registry/catalogue.ts'
import { definePlugin, defineConnection, defineSkill } from '../../core/plugin/index.ts'
import { issueSignIns, serveSandbox, type IssueSignInsOptions } from '../../core/plugin/testing/index.ts'

export const clientSecret = 'canary-client-secret'

const connection = defineConnection({
  title: 'Drive',
  description: 'A drive with files.',
  settings: {
    type: 'object',
    additionalProperties: false,
    required: ['base_url', 'client_id'],
    properties: {
      base_url: { type: 'string', format: 'uri' },
      client_id: { type: 'string', minLength: 1 },
      client_secret: { type: 'string', 'x-secret': true },
      note: { type: 'string' },
      issuer: { type: 'string' },
      refresh_token: { enum: ['single_use', 'reusable'] },
      send: { enum: ['form', 'basic'] },
    },
  },
  baseUrl: ({ base_url }) => base_url,
  signIn: ({ client_id, client_secret, issuer, refresh_token, send }) => ({
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    revoke: '/oauth/revoke',
    clientId: client_id,
    ...(client_secret !== undefined && { clientSecret: client_secret.reveal() }),
    ...(issuer !== undefined && { issuer }),
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(send !== undefined && { send }),
    scope: 'files.read offline_access',
    parameters: { access_type: 'offline', prompt: 'consent' },
  }),
  authenticate: async ({ http }) => {
    const { name } = (await http.get('/me')).json() as { readonly name: string }
    return { account: name }
  },
})

const input = { type: 'object', additionalProperties: false, properties: {} } as const

const countFiles = defineSkill({
  name: 'count_files',
  title: 'Count Files',
  description: 'Counts files.',
  effect: 'read',
  connection,
  input,
  output: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
  examples: [],
  run: async (_input, { http }) => (await http.get('/files')).json() as { count: number },
})

const drive = definePlugin({
  name: 'cloud_drive',
  title: 'Cloud drive',
  description: 'Files.',
  connection,
  skills: [countFiles],
})

const skills = [{ name: 'cloud_drive.count_files', plugin: drive, skill: countFiles }]

/** Only this plugin. */
export const catalogue: Catalogue = {
  plugins: [drive],
  origin: () => undefined,
  skills,
  usable: skills,
  skill: (named) => skills.find(({ name }) => name === named),
  connection: (name) => (name === drive.name ? drive.connection : undefined),
  implementing: () => [],
}

/** The other system, over HTTP. */
export const startVendor = (more: Partial<IssueSignInsOptions> = {}) =>
  serveSandbox(
    () => {
      const signIns = issueSignIns({ clientId: 'app-1', clientSecret, ...more })
      const guarded = (json: unknown) => (call: Parameters<typeof signIns.check>[0]) =>
        signIns.check(call) ? { json } : { status: 401, json: { error: { message: 'no token' } } }
      const controls = { signIns, delayMs: 0 }
      return {
        controls,
        answer: {
          'GET /oauth/authorize': signIns.authorize,
          // The vendor has replaced the refresh token before its answer arrives.
          'POST /oauth/token': (call) => ({ ...signIns.token(call), delayMs: controls.delayMs }),
          'POST /oauth/revoke': signIns.revoke,
          'GET /me': guarded({ name: 'ada@example.com', email: 'ada@example.com' }),
          'GET /files': guarded({ count: 7 }),
        },
      }
    },
    (url) => ({ base_url: url, client_id: 'app-1', client_secret: clientSecret }),
  ).start()

export type Vendor = Awaited<ReturnType<typeof startVendor>>

/** Allows or denies access in the vendor's page, and returns the parameters of the redirect. */
export async function consent(authorizeUrl: string, how: 'allow' | 'deny' = 'allow') {
  const answer = await fetch(`${authorizeUrl}&consent=${how}`, { redirect: 'manual' })
  const location = new URL(answer.headers.get('location') ?? 'missing:')
  return { location, parameters: Object.fromEntries(location.searchParams) }
}

/** Requests for tokens, by grant type. */
export const grants = ({ requests }: Vendor): readonly string[] =>
  requests
    .filter(({ path }) => path === '/oauth/token')
    .map(({ body }) => new URLSearchParams(body).get('grant_type') ?? '')
