import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/refusal.tsx'

/** Asks the other system whether the credentials work, and says what is wrong where they do not. */
export function Authenticate({ path, onDone }: { readonly path: string; readonly onDone: () => void }) {
  const check = useMutation({
    mutationFn: () => call<{ readonly warning: string | null }>('POST', `${path}/authenticate`),
    onSettled: onDone,
  })
  return (
    <Stack gap="xs" align="flex-start">
      <Button size="xs" loading={check.isPending} onClick={() => check.mutate()}>
        Authenticate
      </Button>
      {check.isError && <Refusal error={check.error} />}
      {check.isSuccess && (
        <Alert
          color={check.data.warning === null ? 'green' : 'orange'}
          variant="light"
          title="The credentials work"
        >
          {check.data.warning !== null && <Text size="sm">{check.data.warning}</Text>}
        </Alert>
      )}
    </Stack>
  )
}
