import { defineRoute } from '../../routing/route.ts'
import { readers } from '../../caller/caller.ts'

const followChanges = defineRoute({
  method: 'GET',
  path: '/events',
  access: readers,
  summary:
    'Tells what changes, live, and not what it is then: server-sent events named for the kind, and `many` where there is too much to name.',
  status: 200,
  isText: true,
  textType: 'text/event-stream',
  answer: {
    type: 'string',
    description:
      'Data of `many`: `kinds`, of which anything may have changed. Of the others (`alert`, `run`, `case`, `checkpoint`, `connection`, `playbook`, `organization`, `provider`, `engine`, `key`, `audit`): `id` and `organization_code`, null where there is none. `heartbeat`, with nothing in it, comes every 15 seconds at the latest.',
  },
  async handle({ caller }, { changeFeed }) {
    return { events: (stream) => changeFeed.follow(stream, caller) }
  },
})

export const eventRoutes = [followChanges]
