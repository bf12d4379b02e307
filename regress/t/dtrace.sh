. ./common.sh
exit 0
