import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { Section } from '../parts/section.tsx'

interface AuthenticateProps {
  readonly path: string
  /** The connection was just made: nobody has to be told to try it. */
  readonly isAtOnce: boolean
  /** Something is typed in the settings: what is tried is what is stored. */
  readonly isEdited: boolean
  readonly onDone: () => void
}

/** Asks the other system whether the credentials work, and says what is wrong where they do not. */
export function Authenticate({ path, isAtOnce, isEdited, onDone }: AuthenticateProps) {
  const { mutate, isPending, isError, isSuccess, error, data } = useMutation({
    mutationFn: () =>
      call<{ readonly account?: string; readonly warning: string | null }>('POST', `${path}/authenticate`),
    onSettled: onDone,
  })
  const hasBegun = useRef(false)
  useEffect(() => {
    if (!isAtOnce || hasBegun.current) return
    hasBegun.current = true
    mutate()
  }, [isAtOnce, mutate])
  return (
    <Section
      title="Connection test"
      actions={
        <Button size="xs" loading={isPending} disabled={isEdited} onClick={() => mutate()}>
          Test connection
        </Button>
      }
    >
      <Stack gap="xs" aria-live="polite">
        {isEdited && <Text size="sm">Save the settings before you test them.</Text>}
        {!isEdited && !isError && !isSuccess && (
          <Text size="sm" c="dimmed">
            {isPending ? 'Testing …' : 'Checks the credentials with the other system.'}
          </Text>
        )}
        {isError && <Refusal error={error} />}
        {isSuccess && !isEdited && (
          <Alert color={data.warning === null ? 'green' : 'orange'} title="Connection works">
            {data.account !== undefined && <Text size="sm">The credentials belong to {data.account}.</Text>}
            {data.warning !== null && <Text size="sm">{data.warning}</Text>}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}
