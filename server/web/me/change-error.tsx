import { Alert, Button, Text } from '@mantine/core'
import { apiProblem } from '../api/problem.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useSignOut } from '../session/session.ts'

/** An error of a change of the ways to sign in. */
export function ChangeError({ error }: { readonly error: unknown }) {
  const signOut = useSignOut()
  if (apiProblem(error).code !== 'sign_in_not_recent') return <ErrorAlert error={error} />
  return (
    <Alert color="orange" title="Sign in again first" role="alert">
      <Text size="sm">You can do this within 15 minutes after a sign-in.</Text>
      <Button mt="sm" size="xs" variant="default" onClick={signOut}>
        Sign out
      </Button>
    </Alert>
  )
}
