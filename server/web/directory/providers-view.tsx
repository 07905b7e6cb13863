import { EnterIcon } from '@radix-ui/react-icons'
import { useMayForAll } from '../session/session.ts'
import { CodedList } from './coded-list.tsx'
import { providers } from './coded.ts'

/** What alerts come from. All organizations share them, so whoever changes one has a key for all. */
export default function ProvidersView() {
  return <CodedList kind={providers} icon={EnterIcon} mayRename={useMayForAll()} />
}
