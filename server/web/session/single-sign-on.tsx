import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import { showInvisible } from '../parts/outside-text.ts'

/** First segment of the views below, which need no session. */
const place = '/sign-in'
export const startPath = `${place}/start`
const callbackPath = `${place}/callback`
/** Shown in the tab of a sign-in that another tab waits for. */
export const donePath = `${place}/done`

export const isSignInPath = (path: string): boolean => [startPath, callbackPath, donePath].includes(path)

interface SignInMethods {
  readonly local: 'on' | 'break_glass'
  readonly single_sign_on: { readonly label: string } | null
  readonly passkeys: boolean
}

/** How people can sign in; undefined while it is unknown. */
export const useSignInMethods = (): SignInMethods | undefined =>
  useQuery({
    queryKey: ['session', 'methods'],
    queryFn: () => apiGet<SignInMethods>('/session/methods'),
    staleTime: Infinity,
  }).data

interface SingleSignOnButtonProps {
  readonly label: string
  /** In a new tab, so that input on this page stays. */
  readonly inNewTab: boolean
}

/** A link to the sign-in with the identity provider. */
export function SingleSignOnButton({ label, inNewTab }: SingleSignOnButtonProps) {
  const { pathname, search, hash } = location
  const returnTo = inNewTab ? donePath : `${pathname}${search}${hash}`
  const href = `${startPath}?${new URLSearchParams({ return_to: returnTo }).toString()}`
  return (
    <Button component="a" href={href} {...(inNewTab && { target: '_blank', rel: 'noopener' })} fullWidth>
      {showInvisible(label)}
    </Button>
  )
}
