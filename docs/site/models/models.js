// Networks for the page. None yet.

export default function create() {
  return null;
}
