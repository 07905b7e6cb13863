import { Alert, Text } from '@mantine/core'

interface MadeNoteProps {
  readonly organization: string
  readonly mayKeep: boolean
}

/** Says of a playbook that nobody wrote where it comes from, and how it becomes somebody's own. */
export function MadeNote({ organization, mayKeep }: MadeNoteProps) {
  return (
    <Alert color="blue" title={`Made by an investigation, for alerts of ${organization}`}>
      <Text size="sm">
        Nobody has written a playbook for them. It is made anew whenever the connections of {organization}{' '}
        change.{' '}
        {mayKeep
          ? 'Kept as yours, changed or as it is, it becomes a file of the playbooks folder, stays as you leave it, and takes precedence.'
          : 'An administrator of all organizations can change it and keep it.'}
      </Text>
    </Alert>
  )
}
