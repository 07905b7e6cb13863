import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { apiCall } from '../api/call.ts'
import type { ApiConnection } from '../api/types.ts'
import { ConfirmButton, ErrorAlert } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { DateTime } from '../parts/times.tsx'

/** Where this tab has started a sign-in. */
export const signInPlace = 'tocsin-sign-in'

interface VendorSignInProps {
  readonly signIn: NonNullable<ApiConnection['sign_in']>
  /** Title of the plugin. */
  readonly vendor: string
  /** Path in the API. */
  readonly path: string
  readonly mayEdit: boolean
  /** The form has unsaved changes, which leaving the page would lose. */
  readonly isEdited: boolean
  readonly onDone: () => void
}

/** The sign-in to the other system: its state, and buttons to sign in and out. */
export function VendorSignIn({ signIn, vendor, path, mayEdit, isEdited, onDone }: VendorSignInProps) {
  const start = useMutation({
    mutationFn: () => apiCall<{ readonly authorize_url: string }>('POST', `${path}/sign-in`),
    onSuccess({ authorize_url: url }) {
      sessionStorage.setItem(signInPlace, location.pathname)
      location.assign(url)
    },
  })
  const { needed, signed_in_at: at, signed_in_by: by } = signIn
  return (
    <Section title="Sign-in" actions={mayEdit && at !== null && <SignOut path={path} onDone={onDone} />}>
      <Stack gap="sm" aria-live="polite">
        {at === null ? (
          <Text size="sm">Nobody has signed in to {vendor} yet.</Text>
        ) : (
          <Text size="sm">
            Signed in by {by} <DateTime at={at} ago />
          </Text>
        )}
        {at !== null && needed !== null && <OutsideText c="red" text={`Sign in again: ${needed.reason}.`} />}
        {at !== null && needed === null && <Granted signIn={signIn} />}
        {mayEdit && isEdited && <Text size="sm">Save the settings before you sign in.</Text>}
        {start.isError && <ErrorAlert error={start.error} />}
        {mayEdit && (
          <Group gap="xs">
            <Button
              size="xs"
              variant={needed === null ? 'default' : 'filled'}
              // The browser is leaving the page.
              loading={start.isPending || start.isSuccess}
              disabled={isEdited}
              onClick={() => start.mutate()}
            >
              {needed === null ? 'Sign in again' : `Sign in to ${vendor}`}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

/** The granted scope, if the vendor reports it. */
function Granted({
  signIn: { account, scope, expires_at: expiresAt, renewed_at: renewedAt },
}: Pick<VendorSignInProps, 'signIn'>) {
  return (
    <>
      {account !== null && <OutsideText text={`Account: ${account}`} />}
      {scope !== null && <OutsideText text={`Scope: ${scope}`} />}
      {expiresAt !== null && (
        <Text size="sm" c="dimmed">
          Access token expires <DateTime at={expiresAt} />
          {renewedAt !== null && (
            <>
              , renewed <DateTime at={renewedAt} ago />
            </>
          )}
        </Text>
      )}
    </>
  )
}

function SignOut({ path, onDone }: Pick<VendorSignInProps, 'path' | 'onDone'>) {
  const signOut = useMutation({
    mutationFn: () => apiCall('DELETE', `${path}/sign-in`),
    onSettled: onDone,
  })
  return (
    <ConfirmButton text="Sign out" title="Sign out?" action="Sign out" mutation={signOut}>
      <Text size="sm">
        The tokens will be deleted, and revoked if the other system supports it. Steps that use this
        connection will fail until somebody signs in again.
      </Text>
    </ConfirmButton>
  )
}
