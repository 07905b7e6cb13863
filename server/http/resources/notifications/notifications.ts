import { ValidationError } from '../../../../core/errors/errors.ts'
import { notificationReader } from '../../../../core/notification/notification-reader.ts'
import {
  notificationBounds,
  notificationKindNames,
  notificationKinds,
  type NotificationChoice,
  type NotificationReader,
} from '../../../../core/notification/notification.ts'
import type { Caller } from '../../caller/caller.ts'
import { requirePerson } from '../../caller/require-person.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import {
  epochMs,
  flag,
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  text,
} from '../system/page.ts'
import { apiNotificationSchema, notificationView } from './notification-view.ts'

const unreadSchema = {
  type: 'integer',
  minimum: 0,
  maximum: notificationBounds.counted,
  description: `Unread ones that are not settled; ${notificationBounds.counted} may mean more.`,
} as const

async function readerOf(caller: Caller, { stores }: Pick<Services, 'stores'>): Promise<NotificationReader> {
  const { account } = requirePerson(caller)
  return notificationReader(account, caller.grants, await stores.notifications.choices(account.uuid))
}

const pageOfNotifications = pageSchema(apiNotificationSchema)

const listNotifications = defineRoute({
  method: 'GET',
  path: '/notifications',
  access: 'self',
  summary: 'What the person is told, newest news first. API keys are told nothing.',
  answer: objectSchema({ ...pageOfNotifications.properties, unread: unreadSchema }),
  query: {
    ...pageParameters,
    sort: {
      type: 'string',
      enum: ['-at', 'at'],
      default: '-at',
      description: 'Last changed first with `-`.',
    },
    unread: { ...flag, description: 'Only unread ones that are not settled.' },
  },
  async handle({ query, caller }, services) {
    const { stores, directory } = services
    const reader = await readerOf(caller, services)
    const filter = { isUnread: query.unread === 'true' }
    const [page, unread] = await Promise.all([
      stores.notifications.list(reader, pageOf(query), filter),
      stores.notifications.countUnread(reader),
    ])
    const view = (await pageView(page, (each) => notificationView(each, reader, directory))) as object
    return { body: { ...view, unread } }
  },
})

const maxRead = 200

const readNotifications = defineRoute({
  method: 'POST',
  path: '/notifications/read',
  access: 'self',
  summary: 'Marks notifications of the person as read: these, or all up to a time.',
  status: 200,
  answer: objectSchema({ unread: unreadSchema }),
  body: {
    required: [],
    properties: {
      notification_ids: {
        type: 'array',
        minItems: 1,
        maxItems: maxRead,
        items: { type: 'string', format: 'uuid' },
        description: 'Unknown ones are ignored.',
      },
      until: { ...epochMs, description: '`at` of the newest one that the person has seen.' },
    },
  },
  async handle({ body, caller }, services) {
    const { notifications } = services.stores
    const { notification_ids: uuids, until } = body
    const reader = await readerOf(caller, services)
    if ((uuids === undefined) === (until === undefined)) throw oneOfBoth()
    await notifications.markRead(reader, uuids === undefined ? { until: until! } : { uuids })
    return { body: { unread: await notifications.countUnread(reader) } }
  },
})

function oneOfBoth(): ValidationError {
  const message = 'send either notification_ids or until'
  return new ValidationError('value_invalid', message, [{ pointer: '', message }])
}

const choiceFields = {
  kind: { type: 'string', enum: notificationKindNames },
  organization_code: {
    type: ['string', 'null'],
    description: 'null: in all organizations without a choice of their own.',
  },
  page: { type: 'boolean', description: 'Whether it is in the list.' },
  browser: {
    type: 'boolean',
    description: 'Whether the browser shows it while the page is hidden. Needs `page`.',
  },
} as const

export const apiChoicesSchema = objectSchema({
  kinds: {
    type: 'array',
    items: objectSchema({
      kind: choiceFields.kind,
      title: text,
      page: { type: 'boolean' },
      browser: { type: 'boolean' },
    }),
    description: 'All kinds with their defaults.',
  },
  choices: { type: 'array', items: objectSchema(choiceFields) },
})

async function choicesView(
  choices: readonly NotificationChoice[],
  { directory }: Pick<Services, 'directory'>,
) {
  return {
    kinds: notificationKindNames.map((kind) => {
      const { title, page, browser } = notificationKinds[kind]
      return { kind, title, page, browser }
    }),
    choices: await Promise.all(
      choices.map(async ({ kind, organizationUuid, page, browser }) => ({
        kind,
        organization_code:
          organizationUuid === null ? null : await directory.organizationCode(organizationUuid),
        page,
        browser,
      })),
    ),
  }
}

const getChoices = defineRoute({
  method: 'GET',
  path: '/notifications/choices',
  access: 'self',
  summary: 'What the person wants to be told, by kind and organization.',
  answer: apiChoicesSchema,
  async handle({ caller }, services) {
    const { account } = requirePerson(caller)
    return { body: await choicesView(await services.stores.notifications.choices(account.uuid), services) }
  },
})

const maxChoices = 1_000

const putChoices = defineRoute({
  method: 'PUT',
  path: '/notifications/choices',
  access: 'self',
  summary:
    'Replaces what the person wants to be told. Earlier notifications that appear because of it are read.',
  answer: apiChoicesSchema,
  body: {
    required: ['choices'],
    properties: {
      choices: {
        type: 'array',
        maxItems: maxChoices,
        items: {
          type: 'object',
          additionalProperties: false,
          required: Object.keys(choiceFields) as (keyof typeof choiceFields)[],
          properties: choiceFields,
        },
      },
    },
  },
  async handle({ body, caller }, services) {
    const { stores, directory } = services
    const { account } = requirePerson(caller)
    const choices = await Promise.all(
      body.choices.map(async ({ organization_code: code, ...choice }, place): Promise<NotificationChoice> => {
        if (code === null) return { ...choice, organizationUuid: null }
        const pointer = `/choices/${place}/organization_code`
        return {
          ...choice,
          organizationUuid: (await directory.organization(caller.scope, code, pointer)).uuid,
        }
      }),
    )
    requireDistinct(choices)
    const before = await readerOf(caller, services)
    const after = notificationReader(account, caller.grants, choices)
    await stores.notifications.choose(account.uuid, choices, { before, after })
    return { body: await choicesView(choices, services) }
  },
})

/** Throws ValidationError `value_invalid`. */
function requireDistinct(choices: readonly NotificationChoice[]): void {
  const seen = new Set<string>()
  for (const [place, { kind, organizationUuid }] of choices.entries()) {
    const key = `${kind} ${organizationUuid}`
    const message = 'has the kind and the organization of an earlier choice'
    if (seen.has(key))
      throw new ValidationError('value_invalid', `choice ${place} ${message}`, [
        { pointer: `/choices/${place}`, message },
      ])
    seen.add(key)
  }
}

export const notificationRoutes = [listNotifications, readNotifications, getChoices, putChoices]
