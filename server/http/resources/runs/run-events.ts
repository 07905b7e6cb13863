import { readCursor, endCursor } from '../../events/run-cursor.ts'
import { followRun as follow } from '../../events/follow-run.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireRun } from './run-view.ts'

export const streamRunEvents = defineRoute({
  method: 'GET',
  path: '/runs/{run}/events',
  access: 'runs:read',
  summary:
    'Streams the events of a run, past and live, until it ends. Server-sent events `run`, `step` and `end`.',
  isText: true,
  textType: 'text/event-stream',
  answer: {
    type: 'string',
    description:
      'Data of `run`: as in GET runs/{run}, without steps. Of `step`: one step, again for each change. Of `end`: `run_uuid` and `status`, then the stream ends. An empty `heartbeat` comes at least every 15 seconds.',
  },
  over: 'The run has ended, and `Last-Event-ID` is its last event: do not reconnect.',
  headers: {
    type: 'object',
    properties: {
      'last-event-id': {
        type: 'string',
        description:
          'The `id` of the last event you received. Absent, or of another run: the stream starts from the first event.',
      },
    },
  },
  async handle({ params, headers, caller }, services) {
    const run = await requireRun(caller.scope, params.run, services)
    const seen = headers['last-event-id']?.toString()
    if (run.endedAt !== null && seen === endCursor) return { status: 204 }
    return { events: (stream) => follow(stream, run, readCursor(seen), services) }
  },
})
