# Makes a network of its own, in which every packet to any address leaves by one interface that nobody answers on, and
# names are asked for on the loopback address. Then runs the program it is given. Run it with: unshare --net --mount
set -e
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
mount --bind "$RESOLV_CONF" /etc/resolv.conf
exec "$@"
