/** How a picture is looked at: how large it is drawn, and where it is scrolled to; all in pixels, a zoom of 1 is as it is laid out. */

interface Size {
  readonly width: number
  readonly height: number
}

/** Texts can be read from here on. */
const readable = 0.75
const largest = 1.6
const smallest = 0.4

/** All of it in sight; never larger than it is laid out. */
export const wholeZoom = (picture: Size, room: Size): number =>
  Math.min(1, room.width / picture.width, room.height / picture.height)

/** As it is shown at first: all of it where its texts can be read so, else as wide as can be read. */
export const firstZoom = (picture: Size, room: Size): number =>
  Math.max(readable, Math.min(1, room.width / picture.width))

/** A zoom as it may be: a large picture as small as it takes to see all of it. */
export const limitZoom = (zoom: number, picture: Size, room: Size): number =>
  Math.min(largest, Math.max(Math.min(smallest, wholeZoom(picture, room)), zoom))

/**
 * Where to scroll to along one direction, so that what is at a place stays there when the zoom changes.
 *
 * @param at from the edge of what is in sight
 */
export const scrollKeeping = (scroll: number, at: number, before: number, after: number): number =>
  ((scroll + at) * after) / before - at

/** Where to scroll to along one direction, so that a place is in the middle. */
export const scrollToMiddle = (_scroll: number, room: number, middle: number): number =>
  Math.max(0, middle - room / 2)

/** Where to scroll to along one direction, so that a part is in sight: nowhere where it is, else to its middle. */
export function scrollShowing(scroll: number, room: number, middle: number, length: number): number {
  const isInSight = middle - length / 2 >= scroll && middle + length / 2 <= scroll + room
  return isInSight ? scroll : scrollToMiddle(scroll, room, middle)
}
