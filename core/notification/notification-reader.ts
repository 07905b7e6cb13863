import { isInScope } from '../common/scope.ts'
import type { Approvers } from '../domain/destructive-use.ts'
import {
  notificationKindNames,
  notificationKinds,
  type Notification,
  type NotificationArea,
  type NotificationChoice,
  type NotificationGrant,
  type NotificationKind,
  type NotificationReader,
} from './notification.ts'

/** What a person chose for a kind in an organization, or its default. */
function choiceFor(
  choices: readonly NotificationChoice[],
  kind: NotificationKind,
  organizationUuid: string | null,
): Pick<NotificationChoice, 'page' | 'browser'> {
  const ofKind = choices.filter((choice) => choice.kind === kind)
  return (
    ofKind.find((choice) => choice.organizationUuid === organizationUuid) ??
    ofKind.find((choice) => choice.organizationUuid === null) ??
    notificationKinds[kind]
  )
}

/**
 * The notifications that a person sees: by the current roles, so that a role taken away hides earlier ones, and by the person's choices.
 */
export function notificationReader(
  person: { readonly uuid: string; readonly joinedAt: number | null; readonly createdAt: number },
  grants: readonly NotificationGrant[],
  choices: readonly NotificationChoice[],
): NotificationReader {
  const named = new Set([
    ...grants.flatMap(({ scope }) => (scope === 'all' ? [] : scope)),
    ...choices.flatMap(({ organizationUuid }) => (organizationUuid === null ? [] : [organizationUuid])),
  ])
  const everywhere = grants.filter(({ scope }) => scope === 'all')
  const areas = [...named].map((uuid): NotificationArea => {
    const here = grants.filter(({ scope }) => isInScope(scope, uuid))
    return { organizations: { only: [uuid] }, ...kindsIn(person.uuid, here, choices, uuid) }
  })
  if (everywhere.length > 0) {
    const kinds = kindsIn(person.uuid, everywhere, choices, null)
    areas.push({ organizations: { except: [...named] }, ...kinds })
  }
  return { account: person.uuid, since: person.joinedAt ?? person.createdAt, areas }
}

function kindsIn(
  account: string,
  grants: readonly NotificationGrant[],
  choices: readonly NotificationChoice[],
  organizationUuid: string | null,
): Omit<NotificationArea, 'organizations'> {
  const chosen = (where: 'page' | 'browser') =>
    notificationKindNames.filter((kind) => {
      const { needs } = notificationKinds[kind]
      const choice = choiceFor(choices, kind, organizationUuid)
      return choice.page && choice[where] && grants.some(({ permissions }) => permissions.includes(needs))
    })
  const page = chosen('page')
  const approving = grants.filter(({ permissions }) => permissions.includes('approvals:write'))
  return {
    toAll: page.filter((kind) => kind !== 'published_run_failed'),
    toMe: page,
    published: page.includes('published_run_failed'),
    browser: chosen('browser'),
    identities: [`account:${account}`, ...approving.map(({ role }) => `role:${role.toLowerCase()}`)],
  }
}

/** Names of those who may approve, as {@link notificationReader} names people; null: everyone with the permission. */
export function identitiesOf({ roles, keys, accounts }: Approvers): readonly string[] | null {
  if (roles.length + keys.length + accounts.length === 0) return null
  return [...roles.map((role) => `role:${role.toLowerCase()}`), ...accounts.map((uuid) => `account:${uuid}`)]
}

/** Whether the browser shows the notification to the person. */
export function isForBrowser(
  { areas }: Pick<NotificationReader, 'areas'>,
  { organizationUuid, kind }: Pick<Notification, 'organizationUuid' | 'kind'>,
): boolean {
  const area = areas.find(({ organizations }) =>
    'only' in organizations
      ? organizations.only.includes(organizationUuid)
      : !organizations.except.includes(organizationUuid),
  )
  return area?.browser.includes(kind) ?? false
}
