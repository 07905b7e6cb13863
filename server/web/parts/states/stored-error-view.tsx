import { Alert, Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { StoredError } from '../../api/types.ts'
import { showInvisible } from '../json/show-invisible.ts'

interface StoredErrorViewProps {
  readonly error: StoredError
  /** Where in a playbook it belongs; `called`: the name of one that was called. */
  readonly place?: { readonly playbook: string; readonly line: number; readonly called?: string } | undefined
}

/** Why a run or a step failed, what to do about it, and where it stands in the playbook. */
export function StoredErrorView({ error: { code, message, hint }, place }: StoredErrorViewProps) {
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
      {place !== undefined && (
        <Anchor component={Link} href={`/playbooks/${place.playbook}?line=${place.line}`} size="sm">
          Go to line {place.line} of {place.called ?? 'the playbook'}
        </Anchor>
      )}
    </Alert>
  )
}
