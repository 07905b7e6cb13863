import { readCursor, allTold } from '../../events/run-cursor.ts'
import { followRun as follow } from '../../events/follow-run.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireRun } from './require-run.ts'
import { readers } from '../../caller/caller.ts'

export const followRun = defineRoute({
  method: 'GET',
  path: '/runs/{run}/events',
  access: readers,
  summary:
    'Tells what happens in a run, live: first what has happened, then each change, until it has ended. Server-sent events `run`, `step` and `end`.',
  status: 200,
  isText: true,
  textType: 'text/event-stream',
  answer: {
    type: 'string',
    description:
      'Data of `run`: as GET runs/{run} has it, without steps. Of `step`: one of those steps, again when it changes. Of `end`: `run_uuid` and `status`; the stream ends with it. `heartbeat`, with nothing in it, comes every 15 seconds at the latest.',
  },
  over: 'The run has ended, and `Last-Event-ID` says that all of it has been told: do not come again.',
  headers: {
    type: 'object',
    properties: {
      'last-event-id': {
        type: 'string',
        description:
          'The `id` of the last event that was read: what follows it is told. Absent, or none of this run: everything.',
      },
    },
  },
  async handle({ params, headers, caller }, services) {
    const run = await requireRun(caller.scope, params.run, services)
    const seen = headers['last-event-id']?.toString()
    if (run.endedAt !== null && seen === allTold) return { status: 204 }
    return { events: (stream) => follow(stream, run, readCursor(seen), services) }
  },
})
