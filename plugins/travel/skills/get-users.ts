import { defineSkill, type JsonObject, leftOutProperties } from 'tocsin/plugin'
import { numberOrNull, optionalText } from '../bookings/booking-schema.ts'
import { connection } from '../connection.ts'
import { readAllPages } from '../read-all.ts'
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
    id: { type: 'string', description: 'The `uuid` of a traveler or booker in a booking.' },
    email: { ...optionalText, description: 'The primary address.' },
    emails: { type: 'array', items: { type: 'string' } },
    name: optionalText,
    employee_id: optionalText,
    active: { type: ['boolean', 'null'] },
    department: optionalText,
    region: optionalText,
    manager_name: optionalText,
    manager_email: optionalText,
    policy_level: optionalText,
    raw: {
      type: 'object',
      additionalProperties: true,
      description: 'The user as the platform returned it, with phone number.',
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
        description: 'Addresses, ignoring case. Returns users with any of the ids or addresses.',
      },
      active: { type: 'boolean', description: 'True for active users only, false for inactive ones only.' },
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
          'Requested ids and addresses that no user has, e.g. those of guests. With partial: none of the users read.',
      },
      not_returned: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Requested ids and addresses of users who exist but were not returned because of `limit` or `active`.',
      },
      counts: {
        type: 'object',
        required: ['returned', 'read', 'total'],
        additionalProperties: false,
        properties: {
          returned: { type: 'integer' },
          read: { type: 'integer', description: 'Number read from the platform, before filtering here.' },
          total: { ...numberOrNull, description: 'The platform’s total.' },
        },
      },
      partial: {
        type: 'boolean',
        description: 'Some users were not read, or one without an id was left out.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'Which of these are users',
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
    // Empty lists match no users, not all users.
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
    const { items, read, total, complete, leftOut } = await readAllPages<User>(http, {
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
