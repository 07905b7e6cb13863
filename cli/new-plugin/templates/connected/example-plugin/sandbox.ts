import { serveSandbox, type SandboxCall } from 'tocsin/plugin/testing'

const apiKey = 'sandbox-key'
const refused = { status: 401, json: { error: { message: 'unknown key' } } }
const unknown = { status: 404, json: { error: { message: 'no such item' } } }

/** Behaves like the real system in credentials, errors and state. */
export default serveSandbox(
  () => {
    const items = new Map([['7', { name: 'Bell' }]])
    const isKnown = (call: SandboxCall) => call.headers['x-api-key'] === apiKey
    return {
      answer: {
        'GET /me': (call) => (isKnown(call) ? { json: { name: 'sandbox' } } : refused),
        'GET /items/:id': (call) => {
          if (!isKnown(call)) return refused
          const item = items.get(call.params['id'] ?? '')
          return item === undefined ? unknown : { json: item }
        },
      },
      commands: [
        {
          usage: 'add <id> <name>',
          description: 'a new item, e.g. add 8 Gong',
          run: (id = '', name = '') => `${items.set(id, { name }).size} items exist`,
        },
      ],
    }
  },
  (url) => ({ base_url: url, api_key: apiKey }),
)
