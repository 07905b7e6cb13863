import { Alert, Button, Group, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { problemOf } from '../../api/problem.ts'
import { showInvisible } from '../json/show-invisible.ts'

interface RefusalProps {
  readonly error: unknown
  readonly onRetry?: () => void
  /** What else can be done, beside trying again. */
  readonly children?: ReactNode
}

/** What went wrong, and what to do about it, in the words of the API. */
export function Refusal({ error, onRetry, children }: RefusalProps) {
  const { title, detail, hint, errors = [] } = problemOf(error)
  return (
    <Alert color="red" title={title} role="alert">
      {detail !== undefined && errors.length === 0 && (
        <Text size="sm" className="outside-text">
          {showInvisible(detail)}
        </Text>
      )}
      {errors.length > 0 && (
        <List size="sm" my={4}>
          {errors.map(({ pointer, message }, index) => (
            <List.Item key={index} className="outside-text">
              {pointer !== undefined && pointer !== '' && <code>{pointer} </code>}
              {showInvisible(message)}
            </List.Item>
          ))}
        </List>
      )}
      {hint !== undefined && (
        <Text size="sm" mt={4} className="outside-text">
          What to do: {showInvisible(hint)}
        </Text>
      )}
      {onRetry !== undefined && (
        <Group mt="sm" gap="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
          {children}
        </Group>
      )}
    </Alert>
  )
}
