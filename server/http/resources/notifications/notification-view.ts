import { isForBrowser } from '../../../../core/notification/notification-reader.ts'
import { notificationText } from '../../../../core/notification/notification-text.ts'
import {
  notificationKindNames,
  notificationSubjects,
  type Notification,
  type NotificationReader,
} from '../../../../core/notification/notification.ts'
import type { Directory } from '../../caller/directory.ts'
import { objectSchema, text, textOrNull, time } from '../system/page.ts'

const flag = (description: string) => ({ type: 'boolean', description }) as const

export const apiNotificationSchema = objectSchema({
  notification_id: { ...text, format: 'uuid' },
  organization_code: text,
  kind: { enum: notificationKindNames },
  text: {
    ...text,
    description:
      'A sentence about it. It may contain names and titles that other people or senders of alerts chose: show it as text.',
  },
  subject_kind: { enum: notificationSubjects },
  subject_id: {
    ...text,
    description: 'Id of the question, case, run or containment; the newest if `count` is more than 1.',
  },
  question_kind: { ...textOrNull, description: 'Of a question: the `kind` by which questions are listed.' },
  playbook: textOrNull,
  run_uuid: { ...textOrNull, description: 'The run that asks; the newest if `count` is more than 1.' },
  case_id: textOrNull,
  count: { type: 'integer', minimum: 1, description: 'How often it happened.' },
  at: { ...time, description: 'When it became news (epoch milliseconds).' },
  last_at: { ...time, description: 'When it happened the last time (epoch milliseconds).' },
  is_read: flag('Whether the person has read it.'),
  is_settled: flag('Whether a question needs no answer any more. It does not count as unread.'),
  is_for_browser: flag('Whether the person wants it to be shown by the browser.'),
})

export async function notificationView(
  notification: Notification,
  reader: NotificationReader,
  directory: Pick<Directory, 'organizationCode'>,
) {
  const { facts, subject } = notification
  return {
    notification_id: notification.uuid,
    organization_code: await directory.organizationCode(notification.organizationUuid),
    kind: notification.kind,
    text: notificationText(notification),
    subject_kind: subject.kind,
    subject_id: subject.id,
    question_kind: notification.questionKind,
    playbook: facts.playbook ?? null,
    run_uuid: facts.runUuid ?? null,
    case_id: facts.caseId ?? null,
    count: notification.count,
    at: notification.at,
    last_at: notification.lastAt,
    is_read: notification.isRead,
    is_settled: notification.isSettled,
    is_for_browser: isForBrowser(reader, notification),
  }
}
