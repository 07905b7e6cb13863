import icon from '../icon.svg'

export function Logo({ size }: { readonly size: number }) {
  return <img src={icon} width={size} height={size} alt="" />
}
