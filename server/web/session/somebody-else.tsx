import { Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { forgetTyped, type Typed } from '../forms/typed.ts'
import { Command } from '../parts/command.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'

interface SomebodyElseProps {
  /** Names of the keys. */
  readonly before: string
  readonly now: string
  readonly typed: readonly Typed[]
}

/** In another tab somebody else has signed in: what was typed here is shown to be copied, before the page begins anew. */
export function SomebodyElse({ before, now, typed }: SomebodyElseProps) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w={640} maw="100%">
        <Stack>
          <Title order={1}>You are signed in as {showInvisible(now)} now</Title>
          <Text size="sm">
            Another tab of this browser has signed in with another key. What was typed here with the key{' '}
            <b>{showInvisible(before)}</b> has not been sent: copy what you need, or sign in with that key
            again in another tab and go on where you were.
          </Text>
          {typed.map(({ place, text }) => (
            <Stack key={place} gap={4}>
              <Text size="sm" fw={600} className="outside-text">
                {place}
              </Text>
              <Command text={text} label={place} />
            </Stack>
          ))}
          <Button
            onClick={() => {
              forgetTyped()
              location.reload()
            }}
          >
            Go on as {showInvisible(now)}, and lose it
          </Button>
        </Stack>
      </Paper>
    </Center>
  )
}
