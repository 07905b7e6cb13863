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
      title="Does it work?"
      actions={
        <Button size="xs" loading={isPending} disabled={isEdited} onClick={() => mutate()}>
          Authenticate
        </Button>
      }
    >
      <Stack gap="xs" aria-live="polite">
        {isEdited && (
          <Text size="sm">What is typed in the settings is not saved yet: save it to try it.</Text>
        )}
        {!isEdited && !isError && !isSuccess && (
          <Text size="sm" c="dimmed">
            {isPending
              ? 'The other system is being asked …'
              : 'Asks the other system whether it takes the credentials, and says what is wrong where it does not.'}
          </Text>
        )}
        {isError && <Refusal error={error} />}
        {isSuccess && !isEdited && (
          <Alert color={data.warning === null ? 'green' : 'orange'} title="It works">
            {data.account !== undefined && (
              <Text size="sm">The credentials are those of {data.account}.</Text>
            )}
            {data.warning !== null && <Text size="sm">{data.warning}</Text>}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}
