import { Anchor, List, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { showInvisible } from '../../parts/outside-text.ts'
import { refusalsOfMany } from '../retries.ts'
import type { Retried } from './pieces.ts'

/** More are counted. */
const maxShown = 200

/** The result of each retry: counts, and the runs that were not retried with the reason. */
export function RetriesOfMany({ results }: { readonly results: readonly Retried[] }) {
  const refused = results.filter(({ error }) => error !== null)
  const done = results.length - refused.length
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} role="status">
        Retried {done.toLocaleString()} of {results.length.toLocaleString()} runs
      </Text>
      {refusalsOfMany(refused).map((reason) => (
        <Text key={reason} size="sm" className="outside-text">
          {showInvisible(reason)}
        </Text>
      ))}
      {refused.length > 0 && (
        <List size="sm" listStyleType="none" aria-label="Not retried" className="retry-results">
          {refused.slice(0, maxShown).map(({ run_uuid: uuid, error }) => (
            <List.Item key={uuid} className="outside-text">
              <Anchor
                component={Link}
                href={`/runs/${encodeURIComponent(uuid)}`}
                size="sm"
                underline="always"
              >
                {uuid}
              </Anchor>{' '}
              {showInvisible(error?.message ?? '')}
            </List.Item>
          ))}
          {refused.length > maxShown && (
            <List.Item>{(refused.length - maxShown).toLocaleString()} more</List.Item>
          )}
        </List>
      )}
    </Stack>
  )
}
