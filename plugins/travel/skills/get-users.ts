import { defineSkill, type JsonObject, leftOutProperties } from 'tocsin/plugin'
import { numberOrNull, textOrNull } from '../bookings/booking-schema.ts'
import { connection } from '../connection.ts'
import { readAll } from '../read-all.ts'
import { decodeUser, type User } from '../user.ts'

const texts = {
  type: 'array',
  maxItems: 500,
  items: { type: 'string', minLength: 1, maxLength: 320 },
} as const

const user = {
  type: 'object',
  required: [
    'id',
    'email',
    'emails',
    'name',
    'employee_id',
    'active',
    'department',
    'region',
    'manager_name',
    'manager_email',
    'policy_level',
    'raw',
  ],
  additionalProperties: false,
  properties: {
    id: { type: 'string', description: 'What `uuid` is of a traveler or booker in a booking.' },
    email: { ...textOrNull, description: 'The primary address.' },
    emails: { type: 'array', items: { type: 'string' } },
    name: textOrNull,
    employee_id: textOrNull,
    active: { type: ['boolean', 'null'] },
    department: textOrNull,
    region: textOrNull,
    manager_name: textOrNull,
    manager_email: textOrNull,
    policy_level: textOrNull,
    raw: {
      type: 'object',
      additionalProperties: true,
      description: 'The user as the platform gave it, with phone number.',
    },
  },
} as const

export const getUsers = defineSkill({
  name: 'get_users',
  title: 'Get Travel Platform Users',
  description:
    'Users of the platform, to map travelers and bookers: all of them, or those with certain ids and addresses.',
  docs: 'https://github.com/MeltanoLabs/tap-navan#readme',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      ids: { ...texts, description: 'Ids, e.g. the uuid of travelers and bookers.' },
      emails: {
        ...texts,
        description: 'Addresses, ignoring letter case. Users with one of the ids or addresses are returned.',
      },
      active: { type: 'boolean', description: 'Only those that are active, or only those that are not.' },
      limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 1000, description: 'Users to return.' },
    },
  },
  output: {
    type: 'object',
    required: ['users', 'unmatched', 'not_returned', 'counts', 'partial'],
    additionalProperties: false,
    properties: {
      users: { type: 'array', items: user },
      unmatched: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Ids and addresses that were asked for and that no user has, e.g. those of guests. With partial: none of the users looked at.',
      },
      not_returned: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Ids and addresses that were asked for, of users who are there but not returned: beyond limit, or not as active asks.',
      },
      counts: {
        type: 'object',
        required: ['returned', 'read', 'total'],
        additionalProperties: false,
        properties: {
          returned: { type: 'integer' },
          read: { type: 'integer', description: 'What the platform gave, before it was compared here.' },
          total: { ...numberOrNull, description: 'What the platform says it has.' },
        },
      },
      partial: {
        type: 'boolean',
        description: 'There are more users that were not looked at, or one without an id was left out.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'Who of these are users',
      input: { emails: ['guest@example.org'] },
      output: {
        users: [],
        unmatched: ['guest@example.org'],
        not_returned: [],
        counts: { returned: 0, read: 4, total: 4 },
        partial: false,
      },
    },
  ],
  async run({ ids, emails, active, limit = 1000 }, { http, settings }) {
    const asked = [...new Set([...(ids ?? []), ...(emails ?? [])])]
    // Lists that turn out empty ask for nobody, not for everybody.
    const everybody = ids === undefined && emails === undefined
    if (!everybody && asked.length === 0) {
      const counts = { returned: 0, read: 0, total: null }
      return { users: [], unmatched: [], not_returned: [], counts, partial: false }
    }
    const wanted = new Set(asked.map(plain))
    const met = new Set<string>()
    const decode = (raw: JsonObject): User => {
      const user = decodeUser(raw)
      for (const key of keysOf(user)) if (wanted.has(key)) met.add(key)
      return user
    }
    const keep = (user: User): boolean =>
      (everybody || keysOf(user).some((key) => wanted.has(key))) &&
      (active === undefined || user.active === active)
    const { items, read, total, complete, leftOut } = await readAll<User>(http, {
      path: settings.users_path,
      query: {},
      limit,
      decode,
      idOf: ({ id }) => id,
      keep: everybody && active === undefined ? undefined : keep,
    })
    const returned = new Set(items.flatMap(keysOf))
    return {
      users: items,
      unmatched: asked.filter((text) => !met.has(plain(text))),
      not_returned: asked.filter((text) => met.has(plain(text)) && !returned.has(plain(text))),
      counts: { returned: items.length, read, total },
      partial: !complete || leftOut.unreadable !== undefined,
      ...leftOut,
    }
  },
})

const keysOf = ({ id, emails }: User): readonly string[] => [id, ...emails].map(plain)

const plain = (text: string): string => text.trim().toLowerCase()
