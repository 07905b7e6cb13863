import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { apiCall } from '../api/call.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { tellOtherPages } from './session.ts'
import { Brand, SignInCard } from './sign-in.tsx'
import { donePath, startPath } from './single-sign-on.tsx'

/** The views of a sign-in with the identity provider. */
export default function SingleSignOnView() {
  const { pathname: path } = location
  return (
    <SignInCard>
      <Stack>
        <Brand />
        {path === donePath ? (
          <Text>You are signed in. Close this tab, and continue in the other one.</Text>
        ) : (
          <InProgress path={path} />
        )}
      </Stack>
    </SignInCard>
  )
}

function InProgress({ path }: { readonly path: string }) {
  const [given] = useState(() => new URLSearchParams(location.search))
  const { mutate, isError, error } = useMutation({
    mutationFn: () => (path === startPath ? begin(given) : complete(given)),
    onSuccess: (address) => location.replace(address),
  })
  const hasBegun = useRef(false)
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    // The code must not stay in the history of the browser.
    history.replaceState(null, '', path)
    mutate()
  }, [mutate, path])
  if (!isError)
    return (
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text>{path === startPath ? 'Opening the identity provider …' : 'Signing in …'}</Text>
      </Group>
    )
  return (
    <>
      <ErrorAlert error={error} />
      <Button component="a" href="/">
        Back to the sign-in
      </Button>
    </>
  )
}

/** Gives the address of the provider. */
async function begin(given: URLSearchParams): Promise<string> {
  const body = { return_to: given.get('return_to') ?? '/' }
  const { authorize_url: url } = await apiCall<{ authorize_url: string }>('POST', '/session/single-sign-on', {
    body,
  })
  return url
}

/** Gives the page to show. The server has checked that it is one of its own. */
async function complete(given: URLSearchParams): Promise<string> {
  const body = { state: '', ...Object.fromEntries(given) }
  const path = '/session/single-sign-on/callback'
  const { return_to: returnTo } = await apiCall<{ return_to: string }>('POST', path, { body })
  tellOtherPages()
  return returnTo
}
