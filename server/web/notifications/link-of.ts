import type { ApiNotification } from '../api/types.ts'

type Linked = Pick<
  ApiNotification,
  'run_uuid' | 'subject_kind' | 'subject_id' | 'case_id' | 'count' | 'playbook' | 'organization_code'
>

/** The view of what a notification is about: the object, or a list of several. */
export function linkOf({ subject_kind: kind, subject_id: id, count, ...about }: Linked): string {
  const { case_id: caseId, run_uuid: run, playbook, organization_code: organization } = about
  const list = (path: string, query: Readonly<Record<string, string>>) =>
    `/${path}?${new URLSearchParams(query).toString()}`
  switch (kind) {
    case 'case': {
      return `/cases/${id}`
    }
    case 'run': {
      return count === 1
        ? `/runs/${id}`
        : list('runs', { status: 'failed', organization, playbook: playbook ?? '' })
    }
    case 'checkpoint': {
      return list('checkpoints', count === 1 && run !== null ? { run } : { organization })
    }
    case 'containment': {
      return caseId === null ? list('containments', { organization }) : `/cases/${caseId}`
    }
  }
}
