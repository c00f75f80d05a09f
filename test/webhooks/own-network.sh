# Runs a program in a network of its own, in which every packet to another machine leaves by one interface where nobody
# answers, and names are asked for on the loopback address. Who is not root becomes it there.
set -e
if [ "$1" != inside ]; then
  if [ "$(id -u)" != 0 ]; then root=--map-root-user; fi
  exec unshare $root --net --mount sh "$0" inside "$@"
fi
shift
ip link set lo up
# Not every kernel has the simple kind; a pair does as well, when only one end is looked at.
if ! ip link add out type dummy 2>/dev/null; then
  ip link add out type veth peer name far
  ip link set far up
fi
# Nothing is said on it but what a program sends: no ARP, no neighbour discovery.
ip link set out arp off multicast off addrgenmode none
ip link set out up
ip address add 198.18.0.2/32 dev out
ip -6 address add 2001:db8::2/128 dev out nodad
ip route add default dev out
ip -6 route add default dev out
names=$(mktemp)
echo 'nameserver 127.0.0.1' > "$names"
mount --bind "$names" /etc/resolv.conf
rm "$names"
exec "$@"
