import { serveSandbox, type SandboxCall, type SandboxHandler, type SandboxReply } from 'tocsin/plugin/testing'

/** A device inventory: `Bearer sandbox-token` grants access; notes on a device are stored. */
export default serveSandbox(
  () => {
    const notes: unknown[] = []
    return {
      'GET /': guarded(() => ({ json: { ok: true } })),
      'GET /devices/:id': guarded(({ params }) =>
        params['id'] === '7'
          ? { json: { id: '7', owner: 'ada' } }
          : { status: 404, json: { error: { message: 'no such device' } } },
      ),
      'GET /devices/:id/photo': guarded(() => ({
        bytes: Buffer.from('a photo'),
        headers: { 'content-type': 'image/png' },
      })),
      'POST /devices/:id/notes': guarded((call) => {
        notes.push(call.json())
        return { status: 201, json: { id: notes.length, ...(call.json() as object) } }
      }),
      'GET /echo': guarded(({ headers }) => ({ text: headers['authorization'] ?? '' })),
      'GET /long': guarded(() => ({ text: 'x'.repeat(100_000) })),
    }
  },
  (url) => ({ base_url: url, header_value: 'Bearer sandbox-token' }),
)

function guarded(answer: (call: SandboxCall) => SandboxReply): SandboxHandler {
  return (call) =>
    call.headers['authorization'] === 'Bearer sandbox-token'
      ? answer(call)
      : { status: 401, json: { error: { message: 'wrong token' } } }
}
