import { Alert, Text } from '@mantine/core'

interface MadeNoteProps {
  readonly organization: string
  readonly mayKeep: boolean
}

/** Says of a playbook that nobody wrote where it comes from, and how it becomes somebody's own. */
export function MadeNote({ organization, mayKeep }: MadeNoteProps) {
  return (
    <Alert color="blue" title={`Generated automatically for ${organization}`}>
      <Text size="sm">
        No authored playbook matches these alerts. Tocsin regenerates this one when the connections of{' '}
        {organization} change.{' '}
        {mayKeep
          ? 'Keep it as yours to save it in the playbooks folder: it is then no longer regenerated, and takes precedence.'
          : 'An administrator of all organizations can edit and keep it.'}
      </Text>
    </Alert>
  )
}
