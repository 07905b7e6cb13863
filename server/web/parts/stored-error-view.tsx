import { Alert, Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { StoredError } from '../api/types.ts'
import { showInvisible } from './show-invisible.ts'

interface StoredErrorViewProps {
  readonly error: StoredError
  /** Line of the playbook that it belongs to. */
  readonly line?: { readonly playbook: string; readonly number: number } | undefined
}

/** Why a run or a step failed, what to do about it, and where it stands in the playbook. */
export function StoredErrorView({ error: { code, message, hint }, line }: StoredErrorViewProps) {
  return (
    <Alert color="red" variant="light" title={code}>
      <Text size="sm" className="outside-text">
        {showInvisible(message)}
      </Text>
      {typeof hint === 'string' && (
        <Text size="sm" mt={4} className="outside-text">
          What to do: {showInvisible(hint)}
        </Text>
      )}
      {line !== undefined && (
        <Anchor component={Link} href={`/playbooks/${line.playbook}?line=${line.number}`} size="sm">
          To line {line.number} of the playbook
        </Anchor>
      )}
    </Alert>
  )
}
