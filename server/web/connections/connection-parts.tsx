import { Anchor, List, Stack, Text } from '@mantine/core'
import { ExternalLinkIcon } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { StateBadge, type StateColor } from '../parts/states.tsx'
import { Section } from '../parts/layout.tsx'
import { Copy } from '../parts/text-view.tsx'
import { apiAll } from '../api/call.ts'
import type { ApiConnection, ApiPlugin } from '../api/types.ts'

export function ConnectionState({ connection }: { readonly connection: ApiConnection }) {
  const [text, color] = lookOf(connection)
  return <StateBadge text={text} color={color} />
}

function lookOf({ enabled, broken, sign_in, warnings }: ApiConnection): readonly [string, StateColor] {
  if (broken !== null) return ['Broken', 'red']
  if (!enabled) return ['Off', 'gray']
  if (sign_in !== null && sign_in.needed !== null) return ['Sign-in needed', 'orange']
  return warnings.length > 0 ? ['Warning', 'orange'] : ['On', 'green']
}

/** Setup instructions for the other system. */
export function SetupSteps({
  setup: { setup, docs, redirect_uri: redirectUri },
}: {
  readonly setup: NonNullable<ApiPlugin['connection']>
}) {
  if (setup.length === 0 && docs === null && redirectUri === null) return null
  return (
    <Section title="Setup">
      <Stack gap="sm">
        {redirectUri !== null && (
          <Text size="sm" className="outside-text">
            Redirect URI to register with the vendor: <code>{redirectUri}</code>{' '}
            <Copy value={redirectUri} label="Copy redirect URI" />
          </Text>
        )}
        <List type="ordered" size="sm" spacing={8} pr="md">
          {setup.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        {docs !== null && (
          <Text size="sm">
            <Anchor underline="always" href={docs} target="_blank" rel="noreferrer" size="sm">
              Vendor documentation <ExternalLinkIcon size={12} aria-label="(opens in a new tab)" />
            </Anchor>
          </Text>
        )}
      </Stack>
    </Section>
  )
}

/** Plugins that have connections. */
export const usePlugins = () =>
  useQuery({
    queryKey: ['plugins'],
    queryFn: () => apiAll<ApiPlugin>('/plugins'),
    staleTime: Infinity,
    select: (all) => all.filter(({ connection }) => connection !== null),
  })
