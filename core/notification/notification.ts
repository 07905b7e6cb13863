import type { AccessPermission } from '../access/permissions.ts'
import type { OrganizationScope } from '../ports/common.ts'

interface KindRule {
  /** For people, as the name of a choice. */
  readonly title: string
  /** Who sees it, and whom it tells if it is not for one person. */
  readonly needs: AccessPermission
  /** Defaults of the choices. */
  readonly page: boolean
  readonly browser: boolean
}

/** What people are told. Each person chooses by kind and organization where a notification appears. */
export const notificationKinds = {
  question_asked: {
    title: 'A question that I may answer is asked',
    needs: 'questions:write',
    page: true,
    browser: true,
  },
  approval_wanted: {
    title: 'An approval that I may give is wanted',
    needs: 'approvals:write',
    page: true,
    browser: true,
  },
  approval_escalated: {
    title: 'An unanswered approval is escalated to me',
    needs: 'approvals:write',
    page: true,
    browser: true,
  },
  case_assigned: {
    title: 'A case is assigned to me',
    needs: 'cases:read',
    page: true,
    browser: true,
  },
  task_assigned: {
    title: 'A task is given to me',
    needs: 'cases:read',
    page: true,
    browser: true,
  },
  mentioned: {
    title: 'A note mentions me',
    needs: 'cases:read',
    page: true,
    browser: true,
  },
  case_overdue: {
    title: 'My case or an unassigned case misses its target time',
    needs: 'cases:write',
    page: true,
    browser: false,
  },
  run_failed: {
    title: 'Runs fail',
    needs: 'runs:write',
    page: false,
    browser: false,
  },
  published_run_failed: {
    title: 'Runs of a playbook that I published fail',
    needs: 'runs:read',
    page: true,
    browser: false,
  },
  containment_overdue: {
    title: 'A containment was not undone in time',
    needs: 'runs:write',
    page: true,
    browser: false,
  },
  undo_failed: {
    title: 'The undo of a containment failed or has an unknown outcome',
    needs: 'runs:write',
    page: true,
    browser: false,
  },
} as const satisfies Readonly<Record<string, KindRule>>

export type NotificationKind = keyof typeof notificationKinds
export const notificationKindNames = Object.keys(notificationKinds) as readonly NotificationKind[]

export const notificationSubjects = ['checkpoint', 'case', 'run', 'containment'] as const

/** What a notification is about; absent: it does not apply. Names and titles are chosen by people, and by senders of alerts. */
export interface NotificationFacts {
  readonly caseId?: string | undefined
  /** The run that asks. */
  readonly runUuid?: string | undefined
  /** Of the case, or of the task. */
  readonly title?: string | undefined
  readonly playbook?: string | undefined
  /** The step that asks. */
  readonly step?: string | undefined
  /** The skill that waits for approval, or that contained something. */
  readonly skill?: string | undefined
  /** Code of the error. */
  readonly code?: string | undefined
  /** Display name of who did it. */
  readonly by?: string | undefined
  /** The missed target of a case. */
  readonly target?: 'respond' | 'resolve' | undefined
}

/** A notification to store. Stored in the write of what it tells. */
export interface NewNotification {
  readonly kind: NotificationKind
  /** Identifies the event in its organization. What has the same identity is one notification that counts. */
  readonly event: string
  /** Uuid of the only account that is told; null: everyone with the permission of the kind. */
  readonly account: string | null
  /** Who of them is told, as {@link identitiesOf} names people; null: all. */
  readonly among: readonly string[] | null
  /** Uuid of the account that published the playbook, which is told as `published_run_failed`; null: none. */
  readonly publisher: string | null
  /** Uuid of the account that caused it and is not told; null: none. */
  readonly causedBy: string | null
  readonly subject: { readonly kind: (typeof notificationSubjects)[number]; readonly id: string }
  /** Kind of the question: it is settled when no question of the kind waits. Null: it is not about a question. */
  readonly questionKind: string | null
  readonly facts: NotificationFacts
  /** From when on people are told, in epoch milliseconds. */
  readonly at: number
  /** Whether it is unread again when it happens again. */
  readonly isNewEachTime: boolean
}

/** A notification as a person sees it. */
export interface Notification {
  readonly uuid: string
  readonly organizationUuid: string
  readonly kind: NotificationKind
  readonly subject: NewNotification['subject']
  readonly questionKind: string | null
  readonly facts: NotificationFacts
  /** How often it happened, and the last time. */
  readonly count: number
  readonly lastAt: number
  /** When it became news, in epoch milliseconds. */
  readonly at: number
  readonly isRead: boolean
  /** Nobody has to act any more: the question was answered or withdrawn. It does not count as unread. */
  readonly isSettled: boolean
}

/** Where a person wants to see notifications of a kind. */
export interface NotificationChoice {
  readonly kind: NotificationKind
  /** Null: in all organizations without a choice of their own. */
  readonly organizationUuid: string | null
  readonly page: boolean
  /** By the browser, while the page is hidden. Needs `page`. */
  readonly browser: boolean
}

/** Organizations in which a person is told the same kinds. */
export interface NotificationArea {
  readonly organizations: { readonly only: readonly string[] } | { readonly except: readonly string[] }
  /** Kinds that are for everyone who may see them. */
  readonly toAll: readonly NotificationKind[]
  /** Kinds that are for this person alone. */
  readonly toMe: readonly NotificationKind[]
  /** Whether failed runs of playbooks that the person published are told. */
  readonly published: boolean
  /** The kinds that the browser shows. */
  readonly browser: readonly NotificationKind[]
  /** The names of the person for `NewNotification.among`. */
  readonly identities: readonly string[]
}

/** Who reads notifications, and which of them. */
export interface NotificationReader {
  /** Uuid. */
  readonly account: string
  /** Notifications until then are read: the person was not there. Epoch milliseconds. */
  readonly since: number
  readonly areas: readonly NotificationArea[]
}

/** A role of a person, as far as notifications need it. */
export interface NotificationGrant {
  readonly role: string
  readonly permissions: readonly AccessPermission[]
  readonly scope: OrganizationScope
}

/** Bounds of what is kept and sent. */
export const notificationBounds = {
  keepMs: 90 * 86_400_000,
  /** Of each organization; older ones are deleted. */
  perOrganization: 10_000,
  /** Unread ones are counted up to this number. */
  counted: 100,
  /** Longest stored title or name, in characters. */
  text: 200,
} as const
