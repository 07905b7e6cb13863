import { Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useParams } from 'wouter'
import { apiCall } from '../api/call.ts'
import type { ApiConnection } from '../api/types.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useNavigateWhileMounted } from '../parts/hooks.ts'
import { PageLoading, TextLink } from '../parts/layout.tsx'
import { ViewHead } from '../shell/view.tsx'
import { answerIn } from './connection.ts'
import { signInPlace } from './vendor-sign-in.tsx'

/**
 * Where a vendor sends the browser after a sign-in. The session cookie is not sent with a navigation from another site,
 * but with the request of this page.
 */
export default function OAuthCallback() {
  const { plugin } = useParams<{ plugin: string }>()
  const [answer] = useState(() => answerIn(location.search))
  const queries = useQueryClient()
  const goOn = useNavigateWhileMounted()
  const { mutate, isError, error } = useMutation({
    mutationFn: () => apiCall<ApiConnection>('POST', '/oauth/callback', { body: { plugin, ...answer } }),
    onSuccess({ connection_uuid: id }) {
      void queries.resetQueries({ queryKey: ['list', '/connections'] })
      void queries.resetQueries({ queryKey: ['connection', id] })
      goOn(`/connections/${id}?new=yes`)
    },
  })
  const hasBegun = useRef(false)
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    // The code must not stay in the history of the browser.
    history.replaceState(null, '', location.pathname)
    mutate()
  }, [mutate])
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead title="Sign-in" about={isError ? 'The sign-in failed' : 'Completing the sign-in …'} />
      {isError ? (
        <>
          <ErrorAlert error={error} />
          <TextLink href={sessionStorage.getItem(signInPlace) ?? '/connections'}>
            Back to the connection
          </TextLink>
        </>
      ) : (
        <PageLoading />
      )}
    </Stack>
  )
}
