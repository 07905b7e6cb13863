import { Alert, Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCallTagged, apiCall } from '../api/call.ts'
import { JsonView } from '../parts/text-view.tsx'
import { ErrorAlert, ConfirmButton } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'

/** The manifest for the other system. It contains a token, so it is shown on request only. */
export function Manifest({ path, docs }: { readonly path: string; readonly docs: string | null }) {
  const [isShown, setShown] = useState(false)
  const [isRotated, setRotated] = useState(false)
  const queries = useQueryClient()
  const manifest = useQuery({
    queryKey: ['manifest', path],
    queryFn: () => apiCallTagged<unknown>('GET', `${path}/manifest`),
    enabled: isShown,
    staleTime: Infinity,
    gcTime: 0,
  })
  return (
    <Section
      title="Manifest"
      actions={
        <RotateToken
          path={path}
          onDone={() => {
            setRotated(true)
            setShown(true)
            void queries.resetQueries({ queryKey: ['manifest', path] })
          }}
        />
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          Paste this manifest into the other system. It contains the token of this connection: keep it secret.{' '}
          {docs !== null && (
            <Anchor underline="always" href={docs} target="_blank" rel="noreferrer" size="sm">
              Where to paste it
            </Anchor>
          )}
        </Text>
        {isRotated && (
          <Alert color="orange" title="Token rotated" role="status">
            <Text size="sm">
              Update the other system with this manifest: the old addresses no longer work.
            </Text>
          </Alert>
        )}
        {!isShown && (
          <Button size="xs" variant="default" onClick={() => setShown(true)} w="fit-content">
            Show manifest
          </Button>
        )}
        {manifest.isError && <ErrorAlert error={manifest.error} />}
        {manifest.isSuccess && manifest.data.warning !== null && (
          <Alert color="orange" title="The other system cannot reach these addresses" role="status">
            <Text size="sm">{manifest.data.warning}</Text>
          </Alert>
        )}
        {manifest.isSuccess && <JsonView value={manifest.data.data} label="Manifest" />}
      </Stack>
    </Section>
  )
}

interface RotateTokenProps {
  /** Path in the API. */
  readonly path: string
  readonly onDone: () => void
}

/** Rotates the token of the webhook addresses after a confirmation. */
function RotateToken({ path, onDone }: RotateTokenProps) {
  const rotate = useMutation({
    mutationFn: () => apiCall('POST', `${path}/rotate-token`),
    onSuccess: onDone,
  })
  return (
    <ConfirmButton text="Rotate token" title="Rotate token?" action="Rotate" mutation={rotate}>
      <Text size="sm">
        Rotate the token if someone else may have seen it. The old addresses stop working immediately: update
        the other system with the new manifest.
      </Text>
    </ConfirmButton>
  )
}
