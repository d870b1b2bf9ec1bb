import type { Place } from "../../links.ts";

/** A page that is ready to be put on the screen. */
export interface Shown {
  title: string;
  element: HTMLElement;
  /** Where the focus goes. */
  heading: HTMLElement;
  /** Goes to a place inside this page; false where it lies elsewhere. */
  scrollTo(place: Place): boolean;
}

export const nowhere = (): boolean => false;
