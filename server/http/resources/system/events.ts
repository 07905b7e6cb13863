import { defineRoute } from '../../routing/route.ts'

const followChanges = defineRoute({
  method: 'GET',
  path: '/events',
  access: 'alerts:read',
  summary:
    'Streams changes without their data: server-sent events named by kind, and `many` if there are too many to name.',
  isText: true,
  textType: 'text/event-stream',
  answer: {
    type: 'string',
    description:
      'Data of `many`: the `kinds` with changes. Of the others (`alert`, `run`, `case`, `checkpoint`, `containment`, `notification`, `connection`, `playbook`, `organization`, `provider`, `engine`, `key`, `account`, `audit`): `id` and `organization_code`, null if there is none. An empty `heartbeat` comes at least every 15 seconds.',
  },
  async handle({ caller }, { changeFeed }) {
    return { events: (stream) => changeFeed.follow(stream, caller) }
  },
})

export const eventRoutes = [followChanges]
