import { Alert, Button, List, Text } from '@mantine/core'
import { problemOf } from '../api/problem.ts'

interface RefusalProps {
  readonly error: unknown
  readonly onRetry?: () => void
}

/** What went wrong, and what to do about it, in the words of the API. */
export function Refusal({ error, onRetry }: RefusalProps) {
  const { title, detail, hint, errors } = problemOf(error)
  return (
    <Alert color="red" variant="light" title={title} role="alert">
      {detail !== undefined && <Text size="sm">{detail}</Text>}
      {errors !== undefined && errors.length > 0 && (
        <List size="sm" my={4}>
          {errors.map(({ pointer, message }, index) => (
            <List.Item key={index}>
              {pointer !== undefined && pointer !== '' && <code>{pointer} </code>}
              {message}
            </List.Item>
          ))}
        </List>
      )}
      {hint !== undefined && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      {onRetry !== undefined && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}
