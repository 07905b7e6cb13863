import { HomeIcon } from '@radix-ui/react-icons'
import { CodedList } from './coded-list.tsx'
import { organizations } from './coded.ts'

/** The organizations of the key: those who are limited to some name theirs. */
export default function OrganizationsView() {
  return <CodedList kind={organizations} icon={HomeIcon} mayRename />
}
