import { Alert, Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callTagged } from '../api/call.ts'
import { JsonView } from '../parts/json/json-view.tsx'
import { Refusal } from '../parts/states/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { RotateToken } from './rotate-token.tsx'

/** The document that sets the other system up. It holds a token, so it is shown only when it is asked for. */
export function Manifest({ path, docs }: { readonly path: string; readonly docs: string | null }) {
  const [isShown, setShown] = useState(false)
  const [isRotated, setRotated] = useState(false)
  const queries = useQueryClient()
  const manifest = useQuery({
    queryKey: ['manifest', path],
    queryFn: () => callTagged<unknown>('GET', `${path}/manifest`),
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
        {manifest.isError && <Refusal error={manifest.error} />}
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
